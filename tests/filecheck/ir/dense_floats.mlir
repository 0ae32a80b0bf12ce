// RUN: not mbc-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not mbc-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// Hex elements are bits, in every float type, and print as one string.
// CHECK: %a = arith.constant dense<"0x000080FF0000C07F0000803F"> : tensor<3xf32>
// CHECK: %b = arith.constant dense<"0x000080FF"> : tensor<2x2xf32>
// CHECK: %c = arith.constant 0xff800000 : f32
// CHECK: %d = arith.constant dense<"0x80FF803F"> : tensor<2xbf16>
// CHECK: %e = arith.constant dense<[255, 1]> : tensor<2xi32>
func.func @forward() {
  %a = arith.constant dense<[0xFF800000, 0x7FC00000, 1.0]> : tensor<3xf32>
  %b = arith.constant dense<0xFF800000> : tensor<2x2xf32>
  %c = arith.constant 0xFF800000 : f32
  %d = arith.constant dense<[0xFF80, 0x3F80]> : tensor<2xbf16>
  %e = arith.constant dense<[0xFF, 1]> : tensor<2xi32>
  return
}

// -----

// ERROR: error: hex element does not fit in the bits of bf16
func.func @forward() {
  %d = arith.constant dense<[0xFF800000, 1.0]> : tensor<2xbf16>
  return
}
