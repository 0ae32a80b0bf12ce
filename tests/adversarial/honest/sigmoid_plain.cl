// kernel: sigmoid
// extents: any
// options: style=gpu
// Overflows to infinity inside, and its reciprocal is the right zero.
__kernel void sigmoid(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = 1.0f / (1.0f + exp(-a0[i]));
}
