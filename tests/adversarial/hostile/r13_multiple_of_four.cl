// class: R13
// kernel: vadd
// gate: G2 G6
// extents: any
// The tail after the last whole group of four is left out.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT / 4 * 4; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
}
