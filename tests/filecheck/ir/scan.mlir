// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.scan %{{.*}} {kind = "sum", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %1 = mbc.scan %0 {kind = "sum", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// -----

// ERROR: error: mbc.scan: sum or prod
func.func @forward(%0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %1 = mbc.scan %0 {kind = "max", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}
