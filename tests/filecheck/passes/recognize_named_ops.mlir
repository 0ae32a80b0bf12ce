// RUN: mbc-opt %s --split-input-file -p recognize-named-ops | filecheck %s

// A product into zeros, and one into something else, which is added.
// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    mbc.contract %x, %w
// CHECK-NEXT:    %{{.*}} = mbc.contract %x, %w
// CHECK:         arith.addf
func.func @forward(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%b : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Zero padding becomes the convolution's own; other padding stays.
// CHECK-LABEL: func.func @forward
// CHECK-NOT:     tensor.pad
// CHECK:         mbc.conv %x, %w {{.*}}low = array<i64: 1, 2>, high = array<i64: 1, 0>
// CHECK:         tensor.pad
// CHECK:         mbc.conv %{{.*}}, %w {{.*}}low = array<i64: 0, 0>
func.func @forward(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) -> (tensor<1x3x5x5xf32>, tensor<1x3x5x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x3x5x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %p = tensor.pad %x low[0, 0, 1, 2] high[0, 0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x2x5x5xf32> to tensor<1x2x7x7xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<1x2x7x7xf32>, tensor<3x2x3x3xf32>) outs(%f : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %q = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x2x5x5xf32> to tensor<1x2x7x7xf32>
  %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%q, %w : tensor<1x2x7x7xf32>, tensor<3x2x3x3xf32>) outs(%f : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  return %0, %1 : tensor<1x3x5x5xf32>, tensor<1x3x5x5xf32>
}

// -----

// A sum from zero is a reduction; one from something else is not.
// CHECK-LABEL: func.func @forward
// CHECK:         mbc.reduce %x {kind = "sum", axes = array<i64: 1>, keepdims = true}
// CHECK:         linalg.generic
func.func @forward(%x: tensor<4x8xf32>, %b: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%b : tensor<4x1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

// Attention from products of batches: the batches are split where the softmax has them.
// CHECK-LABEL: func.func @forward
// CHECK-NOT:     linalg.batch_matmul
// CHECK-NOT:     mbc.softmax
// CHECK:         mbc.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.000000e+00 : f64, causal = false, masked_rows = "nan"} : (tensor<2x3x5x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x8xf32>) -> tensor<2x3x5x8xf32>
func.func @forward(%q: tensor<6x5x4xf32>, %k: tensor<6x4x7xf32>, %v: tensor<6x7x8xf32>) -> tensor<6x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x5x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %0 = linalg.batch_matmul ins(%q, %k : tensor<6x5x4xf32>, tensor<6x4x7xf32>) outs(%f : tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [2, 3, 5, 7] : tensor<6x5x7xf32> into tensor<2x3x5x7xf32>
  %2 = mbc.softmax %1 {axis = 3 : i64, log = false} : (tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %3 = tensor.collapse_shape %2 [[0, 1], [2], [3]] : tensor<2x3x5x7xf32> into tensor<6x5x7xf32>
  %e2 = tensor.empty() : tensor<6x5x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x5x8xf32>) -> tensor<6x5x8xf32>
  %4 = linalg.batch_matmul ins(%3, %v : tensor<6x5x7xf32>, tensor<6x7x8xf32>) outs(%f2 : tensor<6x5x8xf32>) -> tensor<6x5x8xf32>
  return %4 : tensor<6x5x8xf32>
}
