// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.arg_reduce %{{.*}} {kind = "max", axis = 1 : i64, keepdims = false} : (tensor<3x5xf32>) -> tensor<3xi64>
func.func @forward(%0: tensor<3x5xf32>) -> tensor<3xi64> {
  %1 = mbc.arg_reduce %0 {kind = "max", axis = 1 : i64, keepdims = false} : (tensor<3x5xf32>) -> tensor<3xi64>
  func.return %1 : tensor<3xi64>
}

// -----

// ERROR: error: mbc.arg_reduce: axis 2 is not in a rank-2 tensor
func.func @forward(%0: tensor<3x5xf32>) -> tensor<3xi64> {
  %1 = mbc.arg_reduce %0 {kind = "max", axis = 2 : i64, keepdims = false} : (tensor<3x5xf32>) -> tensor<3xi64>
  func.return %1 : tensor<3xi64>
}

// -----

// CHECK: %{{.*}}, %{{.*}} = mbc.arg_reduce %{{.*}} {kind = "max", axis = 1 : i64, keepdims = false, values = true} : (tensor<3x5xf32>) -> (tensor<3xi64>, tensor<3xf32>)
func.func @forward(%0: tensor<3x5xf32>) -> tensor<3xf32> {
  %1, %2 = mbc.arg_reduce %0 {kind = "max", axis = 1 : i64, keepdims = false, values = true} : (tensor<3x5xf32>) -> (tensor<3xi64>, tensor<3xf32>)
  func.return %2 : tensor<3xf32>
}
