// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.conv_transpose %{{.*}}, %{{.*}} {strides = array<i64: 2, 1>, low = array<i64: 1, 0>, high = array<i64: 1, 0>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, groups = 2 : i64, acc = "f32"} : (tensor<2x4x5x6xf32>, tensor<4x3x3x2xf32>) -> tensor<2x6x10x8xf32>
func.func @forward(%0: tensor<2x4x5x6xf32>, %1: tensor<4x3x3x2xf32>) -> tensor<2x6x10x8xf32> {
  %2 = mbc.conv_transpose %0, %1 {strides = array<i64: 2, 1>, low = array<i64: 1, 0>, high = array<i64: 1, 0>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, groups = 2 : i64, acc = "f32"} : (tensor<2x4x5x6xf32>, tensor<4x3x3x2xf32>) -> tensor<2x6x10x8xf32>
  func.return %2 : tensor<2x6x10x8xf32>
}

// -----

// ERROR: error: mbc.conv_transpose: 4 channels, weight tensor<4x3x3x2xf32> and 3 groups do not fit
func.func @forward(%0: tensor<2x4x5x6xf32>, %1: tensor<4x3x3x2xf32>) -> tensor<2x9x10x8xf32> {
  %2 = mbc.conv_transpose %0, %1 {strides = array<i64: 2, 1>, low = array<i64: 1, 0>, high = array<i64: 1, 0>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, groups = 3 : i64, acc = "f32"} : (tensor<2x4x5x6xf32>, tensor<4x3x3x2xf32>) -> tensor<2x9x10x8xf32>
  func.return %2 : tensor<2x9x10x8xf32>
}
