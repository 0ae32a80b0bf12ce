// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eps = 0.0009765625 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
func.func @forward(%0: tensor<2x3x4xf32>, %1: tensor<3xf32>, %2: tensor<3xf32>, %3: tensor<3xf32>, %4: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %5 = tensor.empty() : tensor<3xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%2 : tensor<3xf32>) outs(%5 : tensor<3xf32>) {
  ^bb0(%7: f32, %8: f32):
    %9 = arith.mulf %7, %7 : f32
    linalg.yield %9 : f32
  } -> tensor<3xf32>
  %10 = mbc.batch_norm %0, %1, %6, %3, %4 {eps = 0.0009765625 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  func.return %10 : tensor<2x3x4xf32>
}

// -----

// ERROR: error: mbc.batch_norm: tensor<4xf32> is not one value per channel
func.func @forward(%0: tensor<2x3x4xf32>, %1: tensor<4xf32>, %2: tensor<3xf32>, %3: tensor<3xf32>, %4: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %5 = tensor.empty() : tensor<3xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%2 : tensor<3xf32>) outs(%5 : tensor<3xf32>) {
  ^bb0(%7: f32, %8: f32):
    %9 = arith.mulf %7, %7 : f32
    linalg.yield %9 : f32
  } -> tensor<3xf32>
  %10 = mbc.batch_norm %0, %1, %6, %3, %4 {eps = 0.0009765625 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  func.return %10 : tensor<2x3x4xf32>
}
