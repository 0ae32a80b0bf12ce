// RUN: mbc-opt %s -p 'assign-target{target=cuda},form-kernels,set-parallel{kernel=k1 size=128}' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,set-parallel{kernel=k1 size=128}' 2>&1 | filecheck %s --check-prefix=KNOB

// CHECK: mbc.kernel "k1" schedule <{parallel = 128 : i64}>
// KNOB: error: set-parallel: a rowwise kernel has no knob 'parallel' here
func.func @forward(%x: tensor<16x64xf32>, %w: tensor<48x64xf32> {mbc.parameter = "w"}) -> (tensor<16x48xf32>, tensor<16x48xf32>) {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<16x64xf32>, tensor<48x64xf32>) -> tensor<16x48xf32>
  %1 = mbc.softmax %0 {axis = 1 : i64, log = false} : (tensor<16x48xf32>) -> tensor<16x48xf32>
  return %0, %1 : tensor<16x48xf32>, tensor<16x48xf32>
}
