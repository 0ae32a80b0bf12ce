// RUN: mbc-opt %s -p 'assign-target{target=cuda},form-kernels,use-matrix-unit{kernel=k0 products=0},set-stages{kernel=k0 count=1}' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=cuda},form-kernels,set-stages{kernel=k0 count=4}' 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,set-stages{kernel=k0 count=1}' 2>&1 | filecheck %s --check-prefix=KNOB
// RUN: mbc-opt %s --target cuda -p 'form-kernels,use-matrix-unit{kernel=k0 products=0}' | filecheck %s --check-prefix=TWO
// RUN: mbc-opt %s --target cuda -p 'form-kernels,use-matrix-unit{kernel=k0 products=0},set-stages{kernel=k0 count=1}' | filecheck %s --check-prefix=ONE

// CHECK: mbc.kernel "k0" schedule <{matrix = 0 : i64, stages = 1 : i64}>
// COUNT: error: set-stages: stages 4 is not one of 2, 3, 1
// KNOB: error: set-stages: a contract kernel has no knob 'stages' here
// TWO: float lhs_tile[2][
// ONE: float lhs_tile[1][
func.func @forward(%x: tensor<16x64xf32>, %w: tensor<64x48xf32>) -> tensor<16x48xf32> {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], acc = "f32"} : (tensor<16x64xf32>, tensor<64x48xf32>) -> tensor<16x48xf32>
  return %0 : tensor<16x48xf32>
}
