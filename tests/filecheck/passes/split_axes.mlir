// RUN: mbc-opt %s -p split-axes | filecheck %s

func.func @forward(%x: tensor<4x6x1x5x7xf32>, %h: tensor<4x6x5xf16>) -> (tensor<6xf32>, tensor<6xf16>, tensor<4x6xf32>) {
  %0 = mbc.reduce %x {kind = "mean", axes = array<i64: 0, 2, 3, 4>, keepdims = false} : (tensor<4x6x1x5x7xf32>) -> tensor<6xf32>
  %1 = mbc.reduce %h {kind = "mean", axes = array<i64: 0, 2>, keepdims = false} : (tensor<4x6x5xf16>) -> tensor<6xf16>
  %2 = mbc.reduce %x {kind = "sum", axes = array<i64: 2, 3, 4>, keepdims = false} : (tensor<4x6x1x5x7xf32>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<6xf32>, tensor<6xf16>, tensor<4x6xf32>
}

// CHECK:      [[ROWS:%[0-9]+]] = mbc.reduce %x
// CHECK-SAME: axes = array<i64: 3, 4>, keepdims = true
// CHECK:      mbc.reduce [[ROWS]]
// CHECK-SAME: axes = array<i64: 0, 2, 3, 4>, keepdims = false
// Partial results of 16 bits would be rounded; neighbouring axes are one run.
// CHECK:      mbc.reduce %h
// CHECK-SAME: axes = array<i64: 0, 2>
// CHECK:      mbc.reduce %x
// CHECK-SAME: axes = array<i64: 2, 3, 4>
// CHECK-NOT:  mbc.reduce
