// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.random %{{.*}} {kind = "uniform", stream = 0 : i64, shape = array<i64: 3, 5>, dtype = "f32"} : (tensor<i64>) -> tensor<3x5xf32>
func.func @forward(%0: tensor<i64>) -> tensor<3x5xf32> {
  %1 = mbc.random %0 {kind = "uniform", stream = 0 : i64, shape = array<i64: 3, 5>, dtype = "f32"} : (tensor<i64>) -> tensor<3x5xf32>
  func.return %1 : tensor<3x5xf32>
}

// -----

// ERROR: error: mbc.random: dtype is none of i32, i64
func.func @forward(%0: tensor<i64>) -> tensor<3x5xf32> {
  %1 = mbc.random %0 {kind = "bits", stream = 0 : i64, shape = array<i64: 3, 5>, dtype = "f32"} : (tensor<i64>) -> tensor<3x5xf32>
  func.return %1 : tensor<3x5xf32>
}
