// RUN: mbc-opt %s -p 'assign-target{target=opencl},form-kernels,fuse-prologue{kernel=k1}' | filecheck %s
// RUN: mbc-opt %s -p 'assign-target{target=opencl},form-kernels,fuse-prologue' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=opencl},form-kernels,fuse-prologue{kernel=k0}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mbc-opt %s -p 'assign-target{target=opencl},form-kernels,fuse-prologue{kernel=k2}' 2>&1 | filecheck %s --check-prefix=MAP

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %{{.*}} = mbc.kernel "k1" from ["k0"](%x, %y) {
// CHECK:           %[[p:.*]] = linalg.generic
// CHECK:           mbc.softmax %[[p]]
// CHECK:         mbc.kernel "k2"
// NONE: error: fuse-prologue: no operand comes from another kernel
// MAP: error: fuse-prologue: the kernel has elementwise work only
func.func @forward(%x: tensor<4x5xf32>, %y: tensor<5xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<4x5xf32>, tensor<5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x5xf32>
  %1 = mbc.softmax %0 {axis = 1 : i64, log = false} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%1, %y : tensor<4x5xf32>, tensor<5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}
