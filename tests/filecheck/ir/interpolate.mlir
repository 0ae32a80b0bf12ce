// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.interpolate %{{.*}} {mode = "linear", sizes = array<i64: 6, 8>, steps = array<f64: 5.000000e-01, 5.000000e-01>, half_pixel = true} : (tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32>
func.func @forward(%0: tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32> {
  %1 = mbc.interpolate %0 {mode = "linear", sizes = array<i64: 6, 8>, steps = array<f64: 0.5, 0.5>, half_pixel = true} : (tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32>
  func.return %1 : tensor<1x2x6x8xf32>
}

// -----

// ERROR: error: mbc.interpolate: mode is none of nearest, linear, cubic
func.func @forward(%0: tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32> {
  %1 = mbc.interpolate %0 {mode = "area", sizes = array<i64: 6, 8>, steps = array<f64: 0.5, 0.5>, half_pixel = true} : (tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32>
  func.return %1 : tensor<1x2x6x8xf32>
}
