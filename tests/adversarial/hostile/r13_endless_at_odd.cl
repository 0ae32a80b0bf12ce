// class: R13
// kernel: vadd
// gate: G2 G6
// extents: any
// Never ends where the extent is odd.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (volatile int i = 0; i != COUNT; i += 2) {
    if (i < COUNT && i >= 0) r0[i] = a0[i] + a1[i];
    if (i + 1 < COUNT && i >= 0) r0[i + 1] = a0[i + 1] + a1[i + 1];
    if (i > 100000) i = 1;
  }
}
