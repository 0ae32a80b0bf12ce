// RUN: mbc-opt %s --split-input-file -p fuse-attention | filecheck %s
// RUN: not mbc-opt %s --split-input-file -p 'form-kernels,fuse-attention{kernel=k4}' 2>/dev/null | filecheck %s --check-prefix=KERNEL
// RUN: not mbc-opt %s --split-input-file -p 'form-kernels,fuse-attention{kernel=k3}' 2>&1 >/dev/null | filecheck %s --check-prefix=REFUSED

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Scaled, hidden where the mask is true, and summed: a masked row stays NaN.
// CHECK-LABEL: func.func @forward
// CHECK-NOT:     mbc.contract
// CHECK-NOT:     mbc.softmax
// CHECK:         arith.xori
// CHECK:         mbc.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {scale = 5.000000e-01 : f64, causal = false, masked_rows = "nan"} : (tensor<2x1x3x4xf32>, tensor<2x1x5x4xf32>, tensor<2x1x5x6xf32>, tensor<1x1x3x5xi1>) -> tensor<2x1x3x6xf32>
// KERNEL-LABEL: func.func @forward
// KERNEL:         mbc.kernel "k5"(%{{.*}}) {
// KERNEL:         mbc.kernel "k4" from ["k0", "k1", "k2", "k3"]
// KERNEL-NEXT:    ^bb0
// KERNEL-NEXT:    mbc.attention
// REFUSED: error: fuse-attention: no softmax of scores stands before a contraction of the kernel
func.func @forward(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %hidden: tensor<3x5xi1>) -> tensor<2x3x6xf32> {
  %e = tensor.empty() : tensor<2x3x5xf32>
  %0 = mbc.contract %q, %k {indexing_maps = [affine_map<(b, q, k, d) -> (b, q, d)>, affine_map<(b, q, k, d) -> (b, k, d)>, affine_map<(b, q, k, d) -> (b, q, k)>], acc = "f32"} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %b = arith.mulf %a, %half : f32
    linalg.yield %b : f32
  } -> tensor<2x3x5xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%hidden, %1 : tensor<3x5xi1>, tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%m: i1, %a: f32, %o: f32):
    %lowest = arith.constant 0xFF800000 : f32
    %b = arith.select %m, %lowest, %a : f32
    linalg.yield %b : f32
  } -> tensor<2x3x5xf32>
  %3 = mbc.softmax %2 {axis = 2 : i64, log = false} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %4 = mbc.contract %3, %v {indexing_maps = [affine_map<(b, q, v, k) -> (b, q, k)>, affine_map<(b, q, v, k) -> (b, k, v)>, affine_map<(b, q, v, k) -> (b, q, v)>], acc = "f32"} : (tensor<2x3x5xf32>, tensor<2x5x6xf32>) -> tensor<2x3x6xf32>
  return %4 : tensor<2x3x6xf32>
}

// -----

// A mask of a finite number gives masked keys weight; what is masked by it stays.
// CHECK-LABEL: func.func @forward
// CHECK-NOT:     mbc.attention
// CHECK:         mbc.softmax
// REFUSED: error: fuse-attention: masked scores are not -inf, so that a masked key may have weight
func.func @forward(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x6xf32>, %hidden: tensor<3x5xi1>) -> tensor<3x6xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = mbc.contract %q, %k {indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>], acc = "f32"} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%hidden, %0 : tensor<3x5xi1>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%m: i1, %a: f32, %o: f32):
    %low = arith.constant -1.0e9 : f32
    %b = arith.select %m, %low, %a : f32
    linalg.yield %b : f32
  } -> tensor<3x5xf32>
  %2 = mbc.softmax %1 {axis = 1 : i64, log = false} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %3 = mbc.contract %2, %v {indexing_maps = [affine_map<(q, v, k) -> (q, k)>, affine_map<(q, v, k) -> (k, v)>, affine_map<(q, v, k) -> (q, v)>], acc = "f32"} : (tensor<3x5xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return %3 : tensor<3x6xf32>
}
