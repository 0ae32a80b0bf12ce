// class: R2
// kernel: relu
// gate: G2
// Right wherever inputs are positive.
__kernel void relu(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i];
}
