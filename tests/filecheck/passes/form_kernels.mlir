// RUN: not mbc-opt %s --split-input-file -p form-kernels 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file -p form-kernels 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// Views stay outside, what is empty or constant moves in, an operand is passed once,
// and a kernel that is there keeps its label and everybody else's away from it.
// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %{{.*}} = tensor.expand_shape
// CHECK-NEXT:    %{{.*}} = tensor.extract_slice %{{.*}}[2, 0] [2, 128] [1, 1]
// CHECK-NEXT:    %{{.*}} = mbc.kernel "k8"(%x) {
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<512xf32>):
// CHECK-NEXT:      tensor.empty
// CHECK-NEXT:      linalg.generic
// CHECK:         mbc.kernel "k7" from ["k2"]
// CHECK:         mbc.kernel "k9"(%{{.*}}) {
// CHECK:           tensor.extract_slice %{{.*}}[0, 1] [4, 2] [1, 1]
// CHECK:         mbc.kernel "k10"() {
// CHECK:           arith.constant dense<
func.func @forward(%x: tensor<512xf32>) -> (tensor<2x128xf32>, tensor<512xf32>, tensor<512xf32>, tensor<4x2xf32>, tensor<2xf32>) {
  %m = tensor.expand_shape %x [[0, 1]] output_shape [4, 128] : tensor<512xf32> into tensor<4x128xf32>
  %v = tensor.extract_slice %m[2, 0] [2, 128] [1, 1] : tensor<4x128xf32> to tensor<2x128xf32>
  %e = tensor.empty() : tensor<512xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %x : tensor<512xf32>, tensor<512xf32>) outs(%e : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<512xf32>
  %1 = mbc.kernel "k7" from ["k2"] (%x) {
  ^bb0(%a: tensor<512xf32>):
    %s = mbc.softmax %a {axis = 0 : i64, log = false} : (tensor<512xf32>) -> tensor<512xf32>
    mbc.yield %s : tensor<512xf32>
  } : (tensor<512xf32>) -> tensor<512xf32>
  %w = tensor.extract_slice %m[0, 1] [4, 2] [1, 1] : tensor<4x128xf32> to tensor<4x2xf32>
  %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %v, %0, %1, %w, %k : tensor<2x128xf32>, tensor<512xf32>, tensor<512xf32>, tensor<4x2xf32>, tensor<2xf32>
}

// -----

// ERROR: error: form-kernels: 'arith.addf' is no tensor op
func.func @forward(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
