// RUN: mbc-opt %s -p conv-to-contract | filecheck %s
// RUN: mbc-opt %s -p 'conv-to-contract{only=pointwise}' | filecheck %s --check-prefix=ONLY

func.func @forward(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32> {
  %0 = mbc.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, acc = "f32"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// CHECK:      func.func @forward
// CHECK-NOT:  mbc.conv
// CHECK:      tensor.collapse_shape %w
// CHECK:      mbc.pad %x
// CHECK:      linalg.generic
// CHECK:      tensor<1x2x3x3x4x4xf32>
// CHECK:      mbc.contract
// CHECK-SAME: -> tensor<1x3x4x4xf32>


// ONLY: mbc.conv
