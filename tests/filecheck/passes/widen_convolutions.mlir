// RUN: mbc-opt %s -p widen-convolutions | filecheck %s

func.func @forward(%x: tensor<1x2x5xf16>, %w: tensor<3x2x2xf16>, %y: tensor<1x2x5xf32>, %v: tensor<3x2x2xf32>) -> (tensor<1x3x4xf16>, tensor<1x3x4xf32>) {
  %0 = mbc.conv %x, %w {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64, acc = "f32"} : (tensor<1x2x5xf16>, tensor<3x2x2xf16>) -> tensor<1x3x4xf16>
  %1 = mbc.conv %y, %v {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64, acc = "f32"} : (tensor<1x2x5xf32>, tensor<3x2x2xf32>) -> tensor<1x3x4xf32>
  return %0, %1 : tensor<1x3x4xf16>, tensor<1x3x4xf32>
}

// CHECK:      arith.extf
// CHECK:      arith.extf
// CHECK:      [[WIDE:%[0-9]+]] = mbc.conv
// CHECK-SAME: -> tensor<1x3x4xf32>
// CHECK:      arith.truncf
// f32 is wide enough.
// CHECK:      mbc.conv %y, %v
// CHECK-NOT:  arith.truncf
