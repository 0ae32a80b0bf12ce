// RUN: mbc-opt %s -p 'assign-target{target=rvv option="vlen=512"}' | filecheck %s
// RUN: not mbc-opt %s -p 'assign-target{target=hip}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not mbc-opt %s -p 'assign-target{target=rvv option="vlen=100"}' 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not mbc-opt %s -p 'assign-target{target=rvv option=vlen}' 2>&1 | filecheck %s --check-prefix=FORM

// CHECK: builtin.module attributes {mbc.target = #mbc.target<"rvv", {vlen = 512 : i64}>} {
// UNKNOWN: error: target 'hip' not registered; registered targets: cuda, opencl, rvv
// VALUE: error: target 'rvv': vlen = 100 is not one of 128, 256, 512, 1024
// FORM: error: target option 'vlen' is not of the form name=value
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
