// RUN: mbc-opt %s -p 'form-kernels,choose-layout{kernel=k0 operand=1 order=1,0}' | filecheck %s
// RUN: mbc-opt %s -p 'form-kernels,choose-layout{kernel=k0 operand=1 order=1,0},hoist-parameters' | filecheck %s --check-prefix=HOISTED
// RUN: not mbc-opt %s -p 'form-kernels,choose-layout{kernel=k0 operand=2 order=1,0}' 2>&1 | filecheck %s --check-prefix=OPERAND
// RUN: not mbc-opt %s -p 'form-kernels,choose-layout{kernel=k0 operand=1 order=1,1}' 2>&1 | filecheck %s --check-prefix=ORDER
// RUN: not mbc-opt %s -p 'form-kernels,choose-layout{kernel=k0 operand=1 order=0,1}' 2>&1 | filecheck %s --check-prefix=SAME

// CHECK:      %0 = mbc.kernel "k1"(%w) {
// CHECK:        affine_map<(d0, d1) -> (d1, d0)>
// CHECK:      } : (tensor<48x64xf32>) -> tensor<64x48xf32>
// CHECK:      mbc.kernel "k0"(%x, %0) {
// CHECK:        mbc.contract {{.*}}affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>
// HOISTED:    func.func @prepare
// HOISTED:      mbc.kernel "k1"
// HOISTED:    func.func @forward
// HOISTED-NOT:  mbc.kernel "k1"
// OPERAND: error: choose-layout: the kernel has no operand of this number that contractions alone read
// ORDER: error: choose-layout: the order is none of the axes 0 to 1
// SAME: error: choose-layout: the order changes nothing
func.func @forward(%x: tensor<16x64xf32>, %w: tensor<48x64xf32> {mbc.parameter = "w"}) -> tensor<16x48xf32> {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], acc = "f32"} : (tensor<16x64xf32>, tensor<48x64xf32>) -> tensor<16x48xf32>
  return %0 : tensor<16x48xf32>
}
