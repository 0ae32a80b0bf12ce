// RUN: mbc-opt %s -p fold-batch-norm --split-input-file | filecheck %s

// CHECK-LABEL: func.func @forward
// CHECK:         math.rsqrt
// CHECK:         arith.subf
// CHECK:         %[[w:.*]] = linalg.generic {{.*}} ins(%w, %{{.*}} : tensor<4x3x2x2xf32>, tensor<4xf32>)
// CHECK:         %[[c:.*]] = mbc.conv %x, %[[w]]
// CHECK:         linalg.generic {{.*}} ins(%[[c]], %{{.*}} : tensor<2x4x4x4xf32>, tensor<4xf32>)
// CHECK:           arith.addf
// CHECK-NOT:     mbc.batch_norm %[[c]]
// The scale is no parameter here, and the convolution has a second reader there.
// CHECK:         mbc.batch_norm
// CHECK:         mbc.batch_norm
func.func @forward(%x: tensor<2x3x5x5xf32>, %w: tensor<4x3x2x2xf32> {mbc.parameter = "w"}, %m: tensor<4xf32> {mbc.parameter = "m"}, %v: tensor<4xf32> {mbc.parameter = "v"}, %s: tensor<4xf32> {mbc.parameter = "s"}, %b: tensor<4xf32> {mbc.parameter = "b"}, %y: tensor<4xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) {
  %0 = mbc.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, acc = "f32"} : (tensor<2x3x5x5xf32>, tensor<4x3x2x2xf32>) -> tensor<2x4x4x4xf32>
  %1 = mbc.batch_norm %0, %m, %v, %s, %b {eps = 1.0e-5 : f64} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
  %2 = mbc.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, acc = "f32"} : (tensor<2x3x5x5xf32>, tensor<4x3x2x2xf32>) -> tensor<2x4x4x4xf32>
  %3 = mbc.batch_norm %2, %m, %v, %y {eps = 1.0e-5 : f64} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
  %4 = mbc.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, acc = "f32"} : (tensor<2x3x5x5xf32>, tensor<4x3x2x2xf32>) -> tensor<2x4x4x4xf32>
  %5 = mbc.batch_norm %4, %m, %v {eps = 1.0e-5 : f64} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
  return %1, %3, %4, %5 : tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>
}

// -----

// A bias in between, and a transposed convolution, whose filters are its second axis.
// CHECK-LABEL: func.func @forward
// CHECK:         linalg.generic {{.*}} ins(%m, %{{.*}}, %b, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK:         %[[w:.*]] = linalg.generic {{.*}} ins(%w, %{{.*}} : tensor<3x4x2x2xf32>, tensor<4xf32>)
// CHECK:         %[[c:.*]] = mbc.conv_transpose %x, %[[w]]
// CHECK:         linalg.generic {{.*}} ins(%[[c]], %{{.*}} : tensor<2x4x6x6xf32>, tensor<4xf32>)
// CHECK-NOT:     mbc.batch_norm
func.func @forward(%x: tensor<2x3x5x5xf32>, %w: tensor<3x4x2x2xf32> {mbc.parameter = "w"}, %m: tensor<4xf32> {mbc.parameter = "m"}, %v: tensor<4xf32> {mbc.parameter = "v"}, %s: tensor<4xf32> {mbc.parameter = "s"}, %b: tensor<4xf32> {mbc.parameter = "b"}, %y: tensor<4xf32> {mbc.parameter = "y"}) -> tensor<2x4x6x6xf32> {
  %0 = mbc.conv_transpose %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, output_padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, acc = "f32"} : (tensor<2x3x5x5xf32>, tensor<3x4x2x2xf32>) -> tensor<2x4x6x6xf32>
  %1 = tensor.empty() : tensor<2x4x6x6xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (b)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %y : tensor<2x4x6x6xf32>, tensor<4xf32>) outs(%1 : tensor<2x4x6x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %3 = arith.addf %p, %q : f32
    linalg.yield %3 : f32
  } -> tensor<2x4x6x6xf32>
  %4 = mbc.batch_norm %2, %m, %v, %s, %b {eps = 1.0e-5 : f64} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
  return %4 : tensor<2x4x6x6xf32>
}
