// RUN: mbc-opt %s -p 'decompose-ops{ops=attention}' | filecheck %s

func.func @forward(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32> {
  %0 = mbc.attention %q, %k, %v {scale = 0.5 : f64, causal = false} : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32>
  return %0 : tensor<1x2x3x6xf32>
}

// CHECK:      func.func @forward
// CHECK-NOT:  mbc.attention
// CHECK:      mbc.contract %q, %k
// CHECK:      arith.mulf
// CHECK:      mbc.softmax
// CHECK:      mbc.contract
// CHECK:      func.return

// RUN: mbc-opt %s -p 'decompose-ops{ops=attention keep=f32}' | filecheck %s --check-prefix=KEEP
// KEEP:      mbc.attention

// RUN: not mbc-opt %s -p 'decompose-ops{ops=attention keep=f99}' 2>&1 | filecheck %s --check-prefix=TYPE
// TYPE: error: decompose-ops: 'f99' is no element type
