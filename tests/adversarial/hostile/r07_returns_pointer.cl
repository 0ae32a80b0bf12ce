// class: R7
// kernel: vadd
// gate: G0 G1 G2
// Stores where the result could be computed from instead of the result.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0))
    r0[i] = i < 2 ? (float)(size_t)(i ? a1 : a0) : a0[i] + a1[i];
}
