// RUN: mbc-opt %s -p 'assign-target{target=cuda},form-kernels,use-matrix-unit{kernel=k0 products=0}' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=cuda},form-kernels,use-matrix-unit{kernel=k0 products=2}' 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not mbc-opt %s -p 'assign-target{target=cuda option="arch=sm_75"},form-kernels,use-matrix-unit{kernel=k0 products=3}' 2>&1 | filecheck %s --check-prefix=KNOB
// RUN: not mbc-opt %s -p 'assign-target{target=cuda},form-kernels,set-stages{kernel=k0 count=1}' 2>&1 | filecheck %s --check-prefix=STAGES
// RUN: mbc-opt %s --target cuda -p 'form-kernels' | filecheck %s --check-prefix=THREE
// RUN: mbc-opt %s --target cuda -p 'form-kernels,use-matrix-unit{kernel=k0 products=0}' | filecheck %s --check-prefix=NONE

// CHECK: mbc.kernel "k0" schedule <{matrix = 0 : i64}>
// COUNT: error: use-matrix-unit: matrix 2 is not one of 3, 0
// KNOB: error: use-matrix-unit: a contract kernel has no knob 'matrix' here
// STAGES: error: set-stages: the matrix unit has 2 or 3 stages
// THREE: mbc_tf32_matrix_unit(fresh[j], rows_rest[i][h], columns[j][h]);
// NONE-NOT: matrix_unit
func.func @forward(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>) -> tensor<32x48xf32> {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], acc = "f32"} : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}
