// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}}, %{{.*}}, %{{.*}} = mbc.recurrent %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {kind = "lstm", reverse = false} : (tensor<3x2x20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
// CHECK: %{{.*}}, %{{.*}} = mbc.recurrent %{{.*}}, %{{.*}}, %{{.*}} {kind = "relu", reverse = true}
func.func @forward(%0: tensor<3x2x20xf32>, %1: tensor<5x20xf32>, %2: tensor<2x5xf32>, %3: tensor<2x5xf32>, %4: tensor<3x2x5xf32>, %5: tensor<5x5xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  %7, %8, %9 = mbc.recurrent %0, %1, %2, %3 {kind = "lstm", reverse = false} : (tensor<3x2x20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
  %10, %11 = mbc.recurrent %4, %5, %2 {kind = "relu", reverse = true} : (tensor<3x2x5xf32>, tensor<5x5xf32>, tensor<2x5xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>)
  func.return %10, %11, %9 : tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}

// -----

// ERROR: error: mbc.recurrent: operand 1 is tensor<4x20xf32>, not of shape (5, 20)
func.func @forward(%0: tensor<3x2x20xf32>, %1: tensor<4x20xf32>, %2: tensor<2x5xf32>, %3: tensor<2x5xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  %7, %8, %9 = mbc.recurrent %0, %1, %2, %3 {kind = "lstm", reverse = false} : (tensor<3x2x20xf32>, tensor<4x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
  func.return %7, %8, %9 : tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}
