// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.scan %{{.*}} {kind = "sum", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %1 = mbc.scan %0 {kind = "sum", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// -----

// ERROR: error: mbc.scan: kind 'mean' is none of sum, prod, max, min, logsumexp
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %1 = mbc.scan %0 {kind = "mean", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// -----

// CHECK: %{{.*}}, %{{.*}} = mbc.scan %{{.*}} {kind = "max", axis = 0 : i64, exclusive = false, reverse = false, indices = true} : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x6xi64> {
  %1, %2 = mbc.scan %0 {kind = "max", axis = 0 : i64, exclusive = false, reverse = false, indices = true} : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
  func.return %2 : tensor<4x6xi64>
}
