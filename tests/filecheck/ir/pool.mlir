// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.pool %{{.*}} {kind = "avg", window = array<i64: 3, 2>, strides = array<i64: 2, 1>, low = array<i64: 1, 0>, high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, count_padding = false, divisor = 0 : i64} : (tensor<2x3x6x5xf32>) -> tensor<2x3x3x5xf32>
func.func @forward(%0: tensor<2x3x6x5xf32>) -> tensor<2x3x3x5xf32> {
  %1 = mbc.pool %0 {kind = "avg", window = array<i64: 3, 2>, strides = array<i64: 2, 1>, low = array<i64: 1, 0>, high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, count_padding = false, divisor = 0 : i64} : (tensor<2x3x6x5xf32>) -> tensor<2x3x3x5xf32>
  func.return %1 : tensor<2x3x3x5xf32>
}

// -----

// ERROR: error: mbc.pool: kind is max or avg
func.func @forward(%0: tensor<2x3x6x5xf32>) -> tensor<2x3x3x5xf32> {
  %1 = mbc.pool %0 {kind = "sum", window = array<i64: 3, 2>, strides = array<i64: 2, 1>, low = array<i64: 1, 0>, high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, count_padding = false, divisor = 0 : i64} : (tensor<2x3x6x5xf32>) -> tensor<2x3x3x5xf32>
  func.return %1 : tensor<2x3x3x5xf32>
}

// -----

// CHECK: %{{.*}}, %{{.*}} = mbc.pool %{{.*}} {kind = "max", window = array<i64: 2>, strides = array<i64: 2>, low = array<i64: 0>, high = array<i64: 0>, dilation = array<i64: 1>, count_padding = false, divisor = 0 : i64, indices = true} : (tensor<1x2x6xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xi64>)
func.func @forward(%0: tensor<1x2x6xf32>) -> tensor<1x2x3xi64> {
  %1, %2 = mbc.pool %0 {kind = "max", window = array<i64: 2>, strides = array<i64: 2>, low = array<i64: 0>, high = array<i64: 0>, dilation = array<i64: 1>, count_padding = false, divisor = 0 : i64, indices = true} : (tensor<1x2x6xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xi64>)
  func.return %2 : tensor<1x2x3xi64>
}
