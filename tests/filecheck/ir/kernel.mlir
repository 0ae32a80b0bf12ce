// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: mbc.source @s_0a1b "void k0();\0A"
// CHECK: %r = mbc.kernel "k0" from ["k1", "k2"] schedule <{tile = array<i64: 2, 3>, vector = 4 : i64}> source @s_0a1b(%x) {
// CHECK-NEXT: ^bb0(%a: tensor<4xf32>):
// CHECK-NEXT: mbc.softmax
// CHECK-NEXT: mbc.yield %{{.*}} : tensor<4xf32>
mbc.source @s_0a1b "void k0();\n"
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = mbc.kernel "k0" from ["k1", "k2"] schedule <{tile = array<i64: 2, 3>, vector = 4 : i64}> source @s_0a1b (%x) {
  ^bb0(%a: tensor<4xf32>):
    %0 = mbc.softmax %a {axis = 0 : i64, log = false} : (tensor<4xf32>) -> tensor<4xf32>
    mbc.yield %0 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// ERROR: kernel.mlir:[[# @LINE + 2]]:8: error: kernel k0: yielded values (tensor<4xf32>) do not match its type (tensor<5xf32>)
func.func @forward(%x: tensor<4xf32>) -> tensor<5xf32> {
  %r = mbc.kernel "k0" (%x) {
  ^bb0(%a: tensor<4xf32>):
    mbc.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

// ERROR: error: kernel k0: block arguments (tensor<5xf32>) do not match its type (tensor<4xf32>)
func.func @forward(%x: tensor<4xf32>) -> tensor<5xf32> {
  %r = mbc.kernel "k0" (%x) {
  ^bb0(%a: tensor<5xf32>):
    mbc.yield %a : tensor<5xf32>
  } : (tensor<4xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

// ERROR: error: 'mbc.kernel': schedule entry tile must be positive
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = mbc.kernel "k0" schedule <{tile = array<i64: 0>}> (%x) {
  ^bb0(%a: tensor<4xf32>):
    mbc.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
