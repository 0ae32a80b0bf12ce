// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,pack-operand{kernel=k0 operand=1 tile=16}' | filecheck %s
// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,pack-operand,hoist-parameters' | filecheck %s --check-prefix=HOISTED
// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,pack-operand,pack-operand' | filecheck %s --check-prefix=ONCE
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,pack-operand{kernel=k0 operand=0}' 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,pack-operand{kernel=k1}' 2>&1 | filecheck %s --check-prefix=NONE

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %[[p:.*]] = mbc.kernel "k2"(%w) {
// CHECK:           mbc.pack %{{.*}} {axis = 0 : i64, tile = 16 : i64} : (tensor<48x64xf32>) -> tensor<3x64x16xf32>
// CHECK:         mbc.kernel "k0"(%x, %[[p]]) {
// CHECK-NEXT:    ^bb0(
// CHECK-NEXT:      %[[u:.*]] = mbc.unpack %{{.*}} {axis = 0 : i64, size = 48 : i64} : (tensor<3x64x16xf32>) -> tensor<48x64xf32>
// CHECK-NEXT:      mbc.contract %{{.*}}, %[[u]]
// HOISTED:       func.func @prepare
// HOISTED:         mbc.pack
// HOISTED:       func.func @forward
// HOISTED-NOT:     mbc.pack
// ONCE-COUNT-1:  mbc.pack
// ONCE-NOT:      mbc.pack
// OTHER: error: pack-operand: the kernel reads in panels only operand 1 in tiles of
// NONE: error: pack-operand: the kernel reads no operand in panels
func.func @forward(%x: tensor<16x64xf32>, %w: tensor<48x64xf32> {mbc.parameter = "w"}) -> (tensor<16x48xf32>, tensor<16x48xf32>) {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<16x64xf32>, tensor<48x64xf32>) -> tensor<16x48xf32>
  %1 = mbc.softmax %0 {axis = 1 : i64, log = false} : (tensor<16x48xf32>) -> tensor<16x48xf32>
  return %0, %1 : tensor<16x48xf32>, tensor<16x48xf32>
}
