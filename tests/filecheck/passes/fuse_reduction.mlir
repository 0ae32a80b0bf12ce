// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,fuse-reduction{kernel=k1}' | filecheck %s
// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,fuse-reduction' | filecheck %s --check-prefix=ALL
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,fuse-reduction,fuse-reduction{kernel=k3}' 2>&1 | filecheck %s --check-prefix=ROWS

#id = affine_map<(d0, d1) -> (d0, d1)>
#top = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %{{.*}} = mbc.kernel "k1" from ["k0"](%x) {
// CHECK-NEXT:    ^bb0(
// CHECK-NEXT:      %[[m:.*]] = mbc.reduce
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[m]] : tensor<4x5xf32>, tensor<4x1xf32>)
// CHECK:         mbc.kernel "k2"
// The exponential is read by the sum and by the result: it is written as well.
// ALL:           %{{.*}}, %{{.*}} = mbc.kernel "k2" from ["k0", "k1"](%x) {
// ALL:             mbc.yield %{{.*}}, %{{.*}} : tensor<4x1xf32>, tensor<4x5xf32>
// ALL:           mbc.kernel "k3"
// ROWS: error: fuse-reduction: the kernels do not walk the same rows
func.func @forward(%x: tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<4x5xf32>, tensor<5xf32>) {
  %0 = mbc.reduce %x {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<4x5xf32>) -> tensor<4x1xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #top, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<4x5xf32>, tensor<4x1xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %f = math.exp %d : f32
    linalg.yield %f : f32
  } -> tensor<4x5xf32>
  %2 = mbc.reduce %1 {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<4x5xf32>) -> tensor<4x1xf32>
  %3 = mbc.reduce %1 {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<4x5xf32>) -> tensor<5xf32>
  return %2, %1, %3 : tensor<4x1xf32>, tensor<4x5xf32>, tensor<5xf32>
}
