// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.scatter %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64, kind = "add"} : (tensor<3x5xf32>, tensor<4xi64>, tensor<3x4xf32>) -> tensor<3x5xf32>
func.func @forward(%0: tensor<3x5xf32>, %1: tensor<4xi64>, %2: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %3 = mbc.scatter %0, %1, %2 {axis = 1 : i64, kind = "add"} : (tensor<3x5xf32>, tensor<4xi64>, tensor<3x4xf32>) -> tensor<3x5xf32>
  func.return %3 : tensor<3x5xf32>
}

// -----

// ERROR: error: mbc.scatter: tensor<3x4xf32> is no update of tensor<3x5xf32> at tensor<4xi64>
func.func @forward(%0: tensor<3x5xf32>, %1: tensor<4xi64>, %2: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %3 = mbc.scatter %0, %1, %2 {axis = 0 : i64, kind = "add"} : (tensor<3x5xf32>, tensor<4xi64>, tensor<3x4xf32>) -> tensor<3x5xf32>
  func.return %3 : tensor<3x5xf32>
}
