// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}} = mbc.contract %{{.*}}, %{{.*}} {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
func.func @forward(%0: tensor<4x6xf32>, %1: tensor<5x6xf32>) -> tensor<4x5xf32> {
  %2 = mbc.contract %0, %1 {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}

// -----

// ERROR: error: mbc.contract: loop d2 is 6 in one operand and 7 in the other
func.func @forward(%0: tensor<4x6xf32>, %1: tensor<5x7xf32>) -> tensor<4x5xf32> {
  %2 = mbc.contract %0, %1 {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<4x6xf32>, tensor<5x7xf32>) -> tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}
