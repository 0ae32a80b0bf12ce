// RUN: mbc-opt %s -p 'form-kernels,use-source{kernel=k0 file="%S/use_source.txt"}' | filecheck %s
// RUN: not mbc-opt %s -p 'form-kernels,use-source{kernel=k0 file="%S/absent.txt"}' 2>&1 | filecheck %s --check-prefix=ABSENT

// CHECK: mbc.source @[[s:s_[0-9a-f]+]] "void k0(const float *a0, \22fast\22);\0A"
// CHECK: mbc.kernel "k0" source @[[s]](%x, %w)
// CHECK: mbc.kernel "k1"(
// ABSENT: error: use-source: the file cannot be read
func.func @forward(%x: tensor<16x64xf32>, %w: tensor<48x64xf32> {mbc.parameter = "w"}) -> (tensor<16x48xf32>, tensor<16x48xf32>) {
  %0 = mbc.contract %x, %w {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], acc = "f32"} : (tensor<16x64xf32>, tensor<48x64xf32>) -> tensor<16x48xf32>
  %1 = mbc.softmax %0 {axis = 1 : i64, log = false} : (tensor<16x48xf32>) -> tensor<16x48xf32>
  return %0, %1 : tensor<16x48xf32>, tensor<16x48xf32>
}
