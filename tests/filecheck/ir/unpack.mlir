// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.unpack %{{.*}} {axis = 0 : i64, size = 5 : i64} : (tensor<2x3x4xf32>) -> tensor<5x3xf32>
func.func @forward(%0: tensor<2x3x4xf32>) -> tensor<5x3xf32> {
  %1 = mbc.unpack %0 {axis = 0 : i64, size = 5 : i64} : (tensor<2x3x4xf32>) -> tensor<5x3xf32>
  func.return %1 : tensor<5x3xf32>
}

// -----

// ERROR: error: mbc.unpack: 2 panels of 4 do not hold 9 elements
func.func @forward(%0: tensor<2x3x4xf32>) -> tensor<5x3xf32> {
  %1 = mbc.unpack %0 {axis = 0 : i64, size = 9 : i64} : (tensor<2x3x4xf32>) -> tensor<5x3xf32>
  func.return %1 : tensor<5x3xf32>
}
