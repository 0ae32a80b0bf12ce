// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.pack %{{.*}} {axis = 0 : i64, tile = 4 : i64} : (tensor<5x3xf32>) -> tensor<2x3x4xf32>
func.func @forward(%0: tensor<5x3xf32>) -> tensor<2x3x4xf32> {
  %1 = mbc.pack %0 {axis = 0 : i64, tile = 4 : i64} : (tensor<5x3xf32>) -> tensor<2x3x4xf32>
  func.return %1 : tensor<2x3x4xf32>
}

// -----

// ERROR: error: mbc.pack: the tile must be positive
func.func @forward(%0: tensor<5x3xf32>) -> tensor<2x3x4xf32> {
  %1 = mbc.pack %0 {axis = 0 : i64, tile = 0 : i64} : (tensor<5x3xf32>) -> tensor<2x3x4xf32>
  func.return %1 : tensor<2x3x4xf32>
}
