// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.gather %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<3x5xf32>, tensor<4xi64>) -> tensor<3x4xf32>
func.func @forward(%0: tensor<3x5xf32>, %1: tensor<4xi64>) -> tensor<3x4xf32> {
  %2 = mbc.gather %0, %1 {axis = 1 : i64} : (tensor<3x5xf32>, tensor<4xi64>) -> tensor<3x4xf32>
  func.return %2 : tensor<3x4xf32>
}

// -----

// ERROR: error: mbc.gather: axis 7 is not in a rank-2 tensor
func.func @forward(%0: tensor<3x5xf32>, %1: tensor<4xi64>) -> tensor<3x4xf32> {
  %2 = mbc.gather %0, %1 {axis = 7 : i64} : (tensor<3x5xf32>, tensor<4xi64>) -> tensor<3x4xf32>
  func.return %2 : tensor<3x4xf32>
}
