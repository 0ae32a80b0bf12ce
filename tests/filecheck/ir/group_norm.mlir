// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.group_norm %{{.*}}, %{{.*}}, %{{.*}} {groups = 2 : i64, eps = 0.0009765625 : f64} : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x3xf32>
func.func @forward(%0: tensor<2x4x3xf32>, %1: tensor<4xf32>, %2: tensor<4xf32>) -> tensor<2x4x3xf32> {
  %3 = mbc.group_norm %0, %1, %2 {groups = 2 : i64, eps = 0.0009765625 : f64} : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  func.return %3 : tensor<2x4x3xf32>
}

// -----

// ERROR: error: mbc.group_norm: 4 channels do not divide into 3 groups
func.func @forward(%0: tensor<2x4x3xf32>, %1: tensor<4xf32>, %2: tensor<4xf32>) -> tensor<2x4x3xf32> {
  %3 = mbc.group_norm %0, %1, %2 {groups = 3 : i64, eps = 0.0009765625 : f64} : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  func.return %3 : tensor<2x4x3xf32>
}
