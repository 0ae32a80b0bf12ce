// RUN: mbc-opt %s -p 'assign-target{target=rvv},form-kernels,set-tile{kernel=k0 sizes=4}' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,set-tile{kernel=k0 sizes=9}' 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,set-tile{kernel=k1 sizes=4}' 2>&1 | filecheck %s --check-prefix=KNOB
// RUN: not mbc-opt %s -p 'assign-target{target=rvv},form-kernels,set-vector{kernel=k0 width=4},set-tile{kernel=k0 sizes=14}' 2>&1 | filecheck %s --check-prefix=REGISTERS

// CHECK: mbc.kernel "k0" schedule <{tile = array<i64: 4>}>(%x, %w)
// VALUE: error: set-tile: tile 9 is not one of
// KNOB: error: set-tile: a rowwise kernel has no knob 'tile' here
// REGISTERS: error: set-tile: a tile of 14 rows at LMUL 4{{.*}}needs over 32 registers
func.func @forward(%x: tensor<16x64xf32>, %w: tensor<48x64xf32> {mbc.parameter = "w"}) -> (tensor<16x48xf32>, tensor<16x48xf32>) {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<16x64xf32>, tensor<48x64xf32>) -> tensor<16x48xf32>
  %1 = mbc.softmax %0 {axis = 1 : i64, log = false} : (tensor<16x48xf32>) -> tensor<16x48xf32>
  return %0, %1 : tensor<16x48xf32>, tensor<16x48xf32>
}
