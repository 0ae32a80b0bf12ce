// class: R2
// kernel: vsub
// gate: G2
// Parameters in the other order.
__kernel void vsub(__global const float *restrict a1,
    __global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] - a1[i];
}
