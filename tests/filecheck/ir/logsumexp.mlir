// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.logsumexp %{{.*}} {axis = 1 : i64, keepdims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %1 = mbc.logsumexp %0 {axis = 1 : i64, keepdims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  func.return %1 : tensor<4x1xf32>
}

// -----

// ERROR: error: mbc.logsumexp: axis 2 is not in a rank-2 tensor
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %1 = mbc.logsumexp %0 {axis = 2 : i64, keepdims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  func.return %1 : tensor<4x1xf32>
}
