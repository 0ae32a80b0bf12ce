// RUN: mbc-opt %s -p softmax-to-reductions | filecheck %s

func.func @forward(%x: tensor<4x17x9x16xf32>, %y: tensor<4x17x1x1xf32>, %h: tensor<4x17x9xf16>) -> (tensor<4x17x9x16xf32>, tensor<4x17x9x16xf32>, tensor<4x9x16xf32>, tensor<4x17x1x1xf32>, tensor<4x1x1xf32>, tensor<4x17x9x16xf32>, tensor<4x17x9xf16>) {
  %0 = mbc.softmax %x {axis = 1 : i64, log = false} : (tensor<4x17x9x16xf32>) -> tensor<4x17x9x16xf32>
  %1 = mbc.softmax %x {axis = 2 : i64, log = true} : (tensor<4x17x9x16xf32>) -> tensor<4x17x9x16xf32>
  %2 = mbc.logsumexp %x {axis = 1 : i64, keepdims = false} : (tensor<4x17x9x16xf32>) -> tensor<4x9x16xf32>
  %3 = mbc.softmax %y {axis = 1 : i64, log = false} : (tensor<4x17x1x1xf32>) -> tensor<4x17x1x1xf32>
  %4 = mbc.logsumexp %y {axis = 1 : i64, keepdims = false} : (tensor<4x17x1x1xf32>) -> tensor<4x1x1xf32>
  %5 = mbc.softmax %x {axis = 3 : i64, log = false} : (tensor<4x17x9x16xf32>) -> tensor<4x17x9x16xf32>
  %6 = mbc.softmax %h {axis = 1 : i64, log = false} : (tensor<4x17x9xf16>) -> tensor<4x17x9xf16>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x17x9x16xf32>, tensor<4x17x9x16xf32>, tensor<4x9x16xf32>, tensor<4x17x1x1xf32>, tensor<4x1x1xf32>, tensor<4x17x9x16xf32>, tensor<4x17x9xf16>
}

// CHECK:      [[TOP:%[0-9]+]] = mbc.reduce %x {kind = "max", axes = array<i64: 1>, keepdims = true}
// CHECK:      mbc.reduce {{%[0-9]+}} {kind = "sum", axes = array<i64: 1>, keepdims = true}
// CHECK:      linalg.generic
// CHECK:      arith.divf
// CHECK:      ins(%x, [[TOP]],
// CHECK:      math.exp
// CHECK-NEXT: arith.mulf
// CHECK:      mbc.reduce %x {kind = "max", axes = array<i64: 2>
// CHECK:      math.log
// CHECK:      mbc.reduce %x {kind = "max", axes = array<i64: 1>
// CHECK:      math.log
// Only ones follow: rows after all.
// CHECK:      [[ROWS:%[0-9]+]] = tensor.collapse_shape %y
// CHECK:      mbc.softmax [[ROWS]] {axis = 1 : i64, log = false} : (tensor<4x17xf32>)
// CHECK:      mbc.logsumexp {{%[0-9]+}} {axis = 1 : i64, keepdims = false} : (tensor<4x17xf32>)
// CHECK:      mbc.softmax %x {axis = 3
// CHECK:      mbc.softmax %h {axis = 1
