// class: R11
// kernel: vadd
// gate: G2
// The sum is rounded once through bf16.
static float bf16(float x) {
  const int bits = as_int(x);
  return as_float((bits + 0x7fff + (bits >> 16 & 1)) & ~0xffff);
}

__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = bf16(a0[i] + a1[i]);
}
