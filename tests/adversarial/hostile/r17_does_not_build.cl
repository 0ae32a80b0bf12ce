// class: R17
// kernel: vadd
// gate: G0 G1
// A syntax error: no measurement either.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = 0; i < COUNT; i++ r0[i] = a0[i] + a1[i];
}
