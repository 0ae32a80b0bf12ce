// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 5.000000e-01 : f64, causal = false} : (tensor<2x2x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x6xf32>) -> tensor<2x2x3x6xf32>
func.func @forward(%0: tensor<2x2x3x4xf32>, %1: tensor<2x2x5x4xf32>, %2: tensor<2x2x5x6xf32>) -> tensor<2x2x3x6xf32> {
  %3 = mbc.attention %0, %1, %2 {scale = 5.000000e-01 : f64, causal = false} : (tensor<2x2x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x6xf32>) -> tensor<2x2x3x6xf32>
  func.return %3 : tensor<2x2x3x6xf32>
}

// -----

// ERROR: error: mbc.attention: depth of the key or length of the value does not match
func.func @forward(%0: tensor<2x2x3x4xf32>, %1: tensor<2x2x5x3xf32>, %2: tensor<2x2x5x6xf32>) -> tensor<2x2x3x6xf32> {
  %3 = mbc.attention %0, %1, %2 {scale = 5.000000e-01 : f64, causal = false} : (tensor<2x2x3x4xf32>, tensor<2x2x5x3xf32>, tensor<2x2x5x6xf32>) -> tensor<2x2x3x6xf32>
  func.return %3 : tensor<2x2x3x6xf32>
}
