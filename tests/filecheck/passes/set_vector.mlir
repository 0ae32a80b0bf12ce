// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,set-vector{kernel=k1 width=2}' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,set-vector{kernel=k1 width=3}' 2>&1 | filecheck %s --check-prefix=VALUE

// CHECK: mbc.kernel "k1" schedule <{vector = 2 : i64}>
// VALUE: error: set-vector: vector 3 is not one of
func.func @forward(%x: tensor<16x64xf32>, %w: tensor<48x64xf32> {mbc.parameter = "w"}) -> (tensor<16x48xf32>, tensor<16x48xf32>) {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<16x64xf32>, tensor<48x64xf32>) -> tensor<16x48xf32>
  %1 = mbc.softmax %0 {axis = 1 : i64, log = false} : (tensor<16x48xf32>) -> tensor<16x48xf32>
  return %0, %1 : tensor<16x48xf32>, tensor<16x48xf32>
}
