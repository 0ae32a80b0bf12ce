// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.concat %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
func.func @forward(%0: tensor<2x3xf32>, %1: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %2 = mbc.concat %0, %1 {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  func.return %2 : tensor<2x7xf32>
}

// -----

// ERROR: error: mbc.concat: tensor<2x4xf32> does not fit tensor<2x3xf32> along axis 0
func.func @forward(%0: tensor<2x3xf32>, %1: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %2 = mbc.concat %0, %1 {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  func.return %2 : tensor<2x7xf32>
}
