// RUN: mbc-opt %s -p 'assign-target{target=cuda},form-kernels,split-reduction{kernel=k0 parts=4}' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=cuda},form-kernels,split-reduction{kernel=k0 parts=32}' 2>&1 | filecheck %s --check-prefix=SHORT
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,split-reduction{kernel=k0 parts=4}' 2>&1 | filecheck %s --check-prefix=KNOB
// RUN: mbc-opt %s --target cuda -p 'form-kernels,split-reduction{kernel=k0 parts=4}' | filecheck %s --check-prefix=CODE

// RUN: mbc-opt %s --target opencl -p 'form-kernels,split-reduction{kernel=k1 parts=4}' | filecheck %s --check-prefix=ROWS
// RUN: not mbc-opt %s -p 'assign-target{target=opencl},form-kernels,split-reduction{kernel=k1 parts=64}' 2>&1 | filecheck %s --check-prefix=EQUAL

// CHECK: %0 = mbc.kernel "k0" schedule <{split = 4 : i64}>(%x, %w) {
// SHORT: error: split-reduction: split 32 is not one of 1, 2, 4
// KNOB: error: split-reduction: a contract kernel has no knob 'split' here
// CODE: k0_parts<<<dim3(1, 4, 1), dim3(128, 1, 1), 0, stream>>>(x0, x1, t_k0_s0)
// CODE: k0_join<<<dim3(1, 1, 1), dim3(256, 1, 1), 0, stream>>>(y0, t_k0_s0)
// ROWS: __kernel void k1_parts(
// ROWS: __kernel void k1_join(
// EQUAL: error: split-reduction: split 64 is not one of 1, 4
func.func @forward(%x: tensor<8x520xf32>, %w: tensor<520x16xf32>, %y: tensor<3x1024xf32>) -> (tensor<8x16xf32>, tensor<3xf32>) {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], acc = "f32"} : (tensor<8x520xf32>, tensor<520x16xf32>) -> tensor<8x16xf32>
  %1 = mbc.reduce %y {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<3x1024xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<3xf32>
}
