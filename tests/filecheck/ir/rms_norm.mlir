// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.rms_norm %{{.*}}, %{{.*}} {axes = 1 : i64, eps = 0.0009765625 : f64} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
func.func @forward(%0: tensor<4x6xf32>, %1: tensor<6xf32>) -> tensor<4x6xf32> {
  %2 = mbc.rms_norm %0, %1 {axes = 1 : i64, eps = 0.0009765625 : f64} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  func.return %2 : tensor<4x6xf32>
}

// -----

// ERROR: error: mbc.rms_norm: cannot normalize 0 axes of tensor<4x6xf32>
func.func @forward(%0: tensor<4x6xf32>, %1: tensor<6xf32>) -> tensor<4x6xf32> {
  %2 = mbc.rms_norm %0, %1 {axes = 0 : i64, eps = 0.0009765625 : f64} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  func.return %2 : tensor<4x6xf32>
}
