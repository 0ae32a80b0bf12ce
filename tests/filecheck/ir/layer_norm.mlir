// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {axes = 1 : i64, eps = 0.0009765625 : f64} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
func.func @forward(%0: tensor<4x6xf32>, %1: tensor<6xf32>, %2: tensor<6xf32>) -> tensor<4x6xf32> {
  %3 = mbc.layer_norm %0, %1, %2 {axes = 1 : i64, eps = 0.0009765625 : f64} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  func.return %3 : tensor<4x6xf32>
}

// -----

// ERROR: error: mbc.layer_norm: cannot normalize 3 axes of tensor<4x6xf32>
func.func @forward(%0: tensor<4x6xf32>, %1: tensor<6xf32>, %2: tensor<6xf32>) -> tensor<4x6xf32> {
  %3 = mbc.layer_norm %0, %1, %2 {axes = 3 : i64, eps = 0.0009765625 : f64} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  func.return %3 : tensor<4x6xf32>
}
