// RUN: mbc-opt %s -p 'specialize{extent=7}' | filecheck %s
// RUN: mbc-opt %s -p 'specialize{extent=0}' | filecheck %s --check-prefix=EMPTY
// RUN: not mbc-opt %s -p 'specialize{extent=65}' 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not mbc-opt %s -p 'specialize{extent=7},specialize{extent=7}' 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not mbc-opt %s -p canonicalize 2>&1 | filecheck %s --check-prefix=OPEN
// RUN: not mbc-opt %s --target rvv 2>&1 | filecheck %s --check-prefix=OPEN

builtin.module attributes {mbc.extents = array<i64: 0, 64>} {
  func.func @forward(%x: tensor<?x2x3xf32>, %w: tensor<2x6xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>, tensor<2x3xf32>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %n = tensor.dim %x, %c0 : tensor<?x2x3xf32>
    %m = arith.muli %n, %c2 : index
    %a = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x2x3xf32> into tensor<?x6xf32>
    %y = mbc.contract %a, %w {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<?x6xf32>, tensor<2x6xf32>) -> tensor<?x2xf32>
    %b = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x2x3xf32> into tensor<?x3xf32>
    %e = tensor.empty(%m) : tensor<?x3xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
    ^bb0(%s: f32, %o: f32):
      %t = math.exp %s : f32
      linalg.yield %t : f32
    } -> tensor<?x3xf32>
    %r = mbc.reduce %x {kind = "mean", axes = array<i64: 0>, keepdims = false} : (tensor<?x2x3xf32>) -> tensor<2x3xf32>
    func.return %y, %z, %r : tensor<?x2xf32>, tensor<?x3xf32>, tensor<2x3xf32>
  }
}

// CHECK: builtin.module {
// CHECK-NEXT: func.func @forward(%x: tensor<7x2x3xf32>, %w: tensor<2x6xf32>) -> (tensor<7x2xf32>, tensor<14x3xf32>, tensor<2x3xf32>)
// CHECK-NOT: arith.muli
// CHECK: mbc.contract {{.*}} -> tensor<7x2xf32>
// CHECK: tensor.empty() : tensor<14x3xf32>
// CHECK: mbc.reduce {{.*}} : (tensor<7x2x3xf32>) -> tensor<2x3xf32>

// EMPTY: tensor.empty() : tensor<0x3xf32>
// RANGE: an extent of 65: the model was exported for at least 0 and at most 64
// TWICE: specialize: no argument has an open extent
// OPEN: the model has an extent that calls decide: run specialize{extent=N} first
