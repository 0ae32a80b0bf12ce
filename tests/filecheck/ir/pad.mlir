// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.pad %{{.*}} {low = array<i64: 1, 0>, high = array<i64: 0, 2>, value = 1.500000e+00 : f64} : (tensor<2x3xf32>) -> tensor<3x5xf32>
func.func @forward(%0: tensor<2x3xf32>) -> tensor<3x5xf32> {
  %1 = mbc.pad %0 {low = array<i64: 1, 0>, high = array<i64: 0, 2>, value = 1.500000e+00 : f64} : (tensor<2x3xf32>) -> tensor<3x5xf32>
  func.return %1 : tensor<3x5xf32>
}

// -----

// ERROR: error: mbc.pad: low needs 2 values
func.func @forward(%0: tensor<2x3xf32>) -> tensor<3x5xf32> {
  %1 = mbc.pad %0 {low = array<i64: 1>, high = array<i64: 0, 2>, value = 1.500000e+00 : f64} : (tensor<2x3xf32>) -> tensor<3x5xf32>
  func.return %1 : tensor<3x5xf32>
}
