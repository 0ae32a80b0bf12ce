// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.softmax %{{.*}} {axis = 1 : i64, log = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %1 = mbc.softmax %0 {axis = 1 : i64, log = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// -----

// ERROR: error: mbc.softmax: axis 2 is not in a rank-2 tensor
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %1 = mbc.softmax %0 {axis = 2 : i64, log = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}
