// RUN: mbc-opt %s -p 'form-kernels,fuse-elementwise{kernel=k1}' | filecheck %s
// RUN: mbc-opt %s -p 'form-kernels,fuse-elementwise' | filecheck %s
// RUN: not mbc-opt %s -p 'form-kernels,fuse-elementwise{kernel=k0}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mbc-opt %s -p 'form-kernels,fuse-elementwise{kernel=k3}' 2>&1 | filecheck %s --check-prefix=USERS
// RUN: not mbc-opt %s -p 'form-kernels,fuse-elementwise{kernel=k9}' 2>&1 | filecheck %s --check-prefix=LABEL

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// The producer is read transposed: its map is composed.
// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %{{.*}} = mbc.kernel "k1" from ["k0"](%x, %y) {
// CHECK:           linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-NEXT:      ^bb0(
// CHECK-NEXT:        math.exp
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        linalg.yield
// CHECK:         mbc.kernel "k2"
// CHECK:         mbc.kernel "k3"
// NONE: error: fuse-elementwise: no operand comes from another kernel
// USERS: error: fuse-elementwise: the producer's result has other users
// LABEL: error: no kernel is labelled 'k9'; kernels here: k0, k1, k2, k3
func.func @forward(%x: tensor<8x4xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<8x4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %y : tensor<8x4xf32>, tensor<8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.tanh %a : f32
    linalg.yield %c : f32
  } -> tensor<4x8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<4x8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<4x8xf32>
  return %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
