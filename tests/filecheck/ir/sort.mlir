// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}}, %{{.*}} = mbc.sort %{{.*}} {axis = 1 : i64, count = 4 : i64, descending = true, unsigned = false} : (tensor<3x5xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
func.func @forward(%0: tensor<3x5xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>) {
  %1, %2 = mbc.sort %0 {axis = 1 : i64, count = 4 : i64, descending = true, unsigned = false} : (tensor<3x5xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  func.return %1, %2 : tensor<3x4xf32>, tensor<3x4xi64>
}

// -----

// ERROR: error: mbc.sort: 6 elements of an axis of 5
func.func @forward(%0: tensor<3x5xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>) {
  %1, %2 = mbc.sort %0 {axis = 1 : i64, count = 6 : i64, descending = true, unsigned = false} : (tensor<3x5xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  func.return %1, %2 : tensor<3x4xf32>, tensor<3x4xi64>
}
