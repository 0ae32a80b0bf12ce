// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,fuse-epilogue{kernel=k1}' | filecheck %s
// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,fuse-epilogue' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,fuse-epilogue{kernel=k0}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,fuse-epilogue{kernel=k3}' 2>&1 | filecheck %s --check-prefix=NEST
// RUN: not mbc-opt %s -p 'form-kernels,fuse-epilogue{kernel=k1}' 2>&1 | filecheck %s --check-prefix=TARGET

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %{{.*}} = mbc.kernel "k1" from ["k0"](%x, %w, %y) {
// CHECK:           %[[c:.*]] = mbc.contract
// CHECK:           linalg.generic {{.*}} ins(%[[c]], %{{.*}} : tensor<4x5xf32>, tensor<5xf32>)
// CHECK:         mbc.kernel "k2"
// CHECK:         mbc.kernel "k3"
// NONE: error: fuse-epilogue: no operand comes from another kernel
// NEST: error: fuse-epilogue: the fused kernel would leave the map family for a plain loop nest
// TARGET: error: the module has no target: run assign-target or give --target
func.func @forward(%x: tensor<4x6xf32>, %w: tensor<5x6xf32>, %y: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %y : tensor<4x5xf32>, tensor<5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x5xf32>
  %2 = mbc.scan %1 {kind = "logsumexp", axis = 1 : i64, exclusive = false, reverse = false} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %3 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%2, %y : tensor<4x5xf32>, tensor<5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x5xf32>
  return %1, %3 : tensor<4x5xf32>, tensor<4x5xf32>
}
