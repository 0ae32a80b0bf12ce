// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.reduce %{{.*}} {kind = "mean", axes = array<i64: 1>, keepdims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %1 = mbc.reduce %0 {kind = "mean", axes = array<i64: 1>, keepdims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  func.return %1 : tensor<4x1xf32>
}

// -----

// ERROR: error: mbc.reduce: an axis is named twice
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %1 = mbc.reduce %0 {kind = "mean", axes = array<i64: 1, 1>, keepdims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  func.return %1 : tensor<4x1xf32>
}
