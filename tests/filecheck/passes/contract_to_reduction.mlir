// RUN: mbc-opt %s -p 'assign-target{target=cuda},contract-to-reduction' | filecheck %s
// RUN: mbc-opt %s -p 'assign-target{target=rvv},contract-to-reduction' | filecheck %s --check-prefix=CPU

func.func @forward(%a: tensor<5x7xf32>, %x: tensor<7x1xf32>, %y: tensor<1x5xf32>, %b: tensor<7x3xf32>) -> (tensor<5x1xf32>, tensor<1x7xf32>, tensor<5x3xf32>) {
  %0 = mbc.contract %a, %x {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<5x7xf32>, tensor<7x1xf32>) -> tensor<5x1xf32>
  %1 = mbc.contract %y, %a {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<1x5xf32>, tensor<5x7xf32>) -> tensor<1x7xf32>
  %2 = mbc.contract %a, %b {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %0, %1, %2 : tensor<5x1xf32>, tensor<1x7xf32>, tensor<5x3xf32>
}

// A matrix and a column: sums along rows.
// CHECK:      linalg.generic
// CHECK-SAME: ins(%a, %x
// CHECK:      arith.mulf
// CHECK:      mbc.reduce
// CHECK-SAME: axes = array<i64: 1>
// A row and a matrix: sums down columns.
// CHECK:      linalg.generic
// CHECK-SAME: ins(%a, %y
// CHECK:      mbc.reduce
// CHECK-SAME: axes = array<i64: 0>
// CHECK:      mbc.contract %a, %b

// CPU-NOT:    mbc.reduce
