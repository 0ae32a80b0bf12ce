// RUN: mbc-opt %s -p canonicalize | filecheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#turn = affine_map<(d0, d1) -> (d1, d0)>

// Reshapes of reshapes, views that change nothing, neutral operands and splats.
// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    tensor.empty
// CHECK-NEXT:    linalg.generic {{.*}} ins(%x : tensor<4x8xf32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:      arith.constant 2.000000e+00 : f32
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      linalg.yield
// CHECK:         func.return
func.func @forward(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  %2 = tensor.extract_slice %1[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%2, %two : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %one = arith.constant 1.0 : f32
    %d = arith.mulf %a, %one : f32
    %f = arith.mulf %d, %b : f32
    linalg.yield %f : f32
  } -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// A contraction reads its transposed operand through its map, and repeated ops go.
// CHECK-LABEL: func.func @transposed
// CHECK-NEXT:    %[[p:.*]] = mbc.contract %x, %w {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-NEXT:    func.return %[[p]], %[[p]]
func.func @transposed(%x: tensor<4x6xf32>, %w: tensor<5x6xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %e = tensor.empty() : tensor<6x5xf32>
  %t = linalg.generic {indexing_maps = [#turn, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<5x6xf32>) outs(%e : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<6x5xf32>
  %0 = mbc.contract %x, %t {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  %1 = mbc.contract %x, %t {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<4x5xf32>
}

// What could round or hide a NaN stays: x - x, x / 1, x + 0.0.
// CHECK-LABEL: func.func @kept
// CHECK:         arith.subf
// CHECK-NEXT:    arith.divf
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    arith.addf
func.func @kept(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.subf %a, %a : f32
    %d = arith.divf %a, %one : f32
    %f = arith.addf %d, %zero : f32
    %g = arith.addf %c, %f : f32
    linalg.yield %g : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Constants are computed modulo their width, and what is undefined or rounds is not.
// CHECK-LABEL: func.func @folded
// CHECK-NEXT:    %a = arith.constant 2147483647 : i32
// CHECK-NEXT:    %zero = arith.constant 0 : i32
// CHECK-NEXT:    %sum = arith.constant -2147483648 : i32
// CHECK-NEXT:    %q = arith.divsi %a, %zero : i32
// CHECK-NEXT:    %f = arith.sitofp %a : i32 to f32
// CHECK-NEXT:    %g = arith.constant 1.0078125 : f32
// CHECK-NEXT:    func.return %sum, %q, %f, %g
func.func @folded() -> (i32, i32, f32, f32) {
  %a = arith.constant 2147483647 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %sum = arith.addi %a, %one : i32
  %q = arith.divsi %a, %zero : i32
  %f = arith.sitofp %a : i32 to f32
  %c = arith.constant 1.005 : f32
  %n = arith.truncf %c : f32 to bf16
  %g = arith.extf %n : bf16 to f32
  return %sum, %q, %f, %g : i32, i32, f32, f32
}

// Rows that lie in another order than the result's would be two loops: the
// transposition stays, and so the contraction is one that kernels exist for.
// CHECK-LABEL: func.func @rows_in_another_order
// CHECK:         %t = linalg.generic
// CHECK:         mbc.contract %t, %w {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
func.func @rows_in_another_order(%x: tensor<3x2x5xf32>, %w: tensor<7x5xf32>) -> tensor<2x3x7xf32> {
  %empty = tensor.empty() : tensor<2x3x5xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<3x2x5xf32>) outs(%empty : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x5xf32>
  %y = mbc.contract %t, %w {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], acc = "f32"} : (tensor<2x3x5xf32>, tensor<7x5xf32>) -> tensor<2x3x7xf32>
  return %y : tensor<2x3x7xf32>
}
