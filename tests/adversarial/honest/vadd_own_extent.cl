// kernel: vadd
// options: style=gpu
// Knows its extent as a number, and claims no other.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < 1000; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
}
