// RUN: mbc-opt %s -p 'split-kernel{kernel=k3 at=2}' | filecheck %s
// RUN: mbc-opt %s -p 'split-kernel{kernel=k3}' | filecheck %s --check-prefix=EACH
// RUN: not mbc-opt %s -p 'split-kernel{kernel=k3 at=3}' 2>&1 >/dev/null | filecheck %s --check-prefix=OUTSIDE
// RUN: not mbc-opt %s -p 'split-kernel{kernel=k3},split-kernel{kernel=k3_1}' 2>&1 >/dev/null | filecheck %s --check-prefix=ONE

// The tensor that the maximum is taken of goes with both; what both need is a result.
// CHECK:      %[[s:.*]], %[[t:.*]] = mbc.kernel "k3_0" from ["k3", "k1"](%x, %y) {
// CHECK:        arith.addf
// CHECK:        mbc.reduce
// CHECK:        mbc.yield %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x1xf32>
// CHECK:      %{{.*}} = mbc.kernel "k3_1" from ["k3", "k1"](%[[s]], %[[t]]) {
// CHECK:        arith.subf
// CHECK-NOT:    arith.addf
// CHECK:      func.return

// EACH:       mbc.kernel "k3_0" from ["k3", "k1"](%x, %y) {
// EACH:         arith.addf
// EACH-NOT:     mbc.reduce
// EACH:       mbc.kernel "k3_1" from ["k3", "k1"]
// EACH:         mbc.reduce
// EACH:         arith.subf
// EACH-NOT:   "k3_2"

// OUTSIDE: error: split-kernel: the kernel can be cut before ops 1 to 2
// ONE: error: split-kernel: no reduction stands behind another op of the kernel
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @forward(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0:2 = mbc.kernel "k3" from ["k1"](%x, %y) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %e = tensor.empty() : tensor<4x8xf32>
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb1(%p: f32, %q: f32, %o: f32):
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    %top = mbc.reduce %s {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %d = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %top : tensor<4x8xf32>, tensor<4x1xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb1(%p: f32, %q: f32, %o: f32):
      %r = arith.subf %p, %q : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    mbc.yield %d, %s : tensor<4x8xf32>, tensor<4x8xf32>
  } : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xf32>
}
