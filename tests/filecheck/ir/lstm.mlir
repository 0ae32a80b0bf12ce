// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK: %{{.*}}, %{{.*}}, %{{.*}} = mbc.lstm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {reverse = false} : (tensor<3x2x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<20x4xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
func.func @forward(%0: tensor<3x2x4xf32>, %1: tensor<2x5xf32>, %2: tensor<2x5xf32>, %3: tensor<20x4xf32>, %4: tensor<20x5xf32>, %5: tensor<20xf32>, %6: tensor<20xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  %7, %8, %9 = mbc.lstm %0, %1, %2, %3, %4, %5, %6 {reverse = false} : (tensor<3x2x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<20x4xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
  func.return %7, %8, %9 : tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}

// -----

// ERROR: error: mbc.lstm: operand 3 is tensor<20x3xf32>, not of shape (20, 4)
func.func @forward(%0: tensor<3x2x4xf32>, %1: tensor<2x5xf32>, %2: tensor<2x5xf32>, %3: tensor<20x3xf32>, %4: tensor<20x5xf32>, %5: tensor<20xf32>, %6: tensor<20xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  %7, %8, %9 = mbc.lstm %0, %1, %2, %3, %4, %5, %6 {reverse = false} : (tensor<3x2x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>) -> (tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
  func.return %7, %8, %9 : tensor<3x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}
