// kernel: relu
// extents: any
// options: style=gpu
// One comparison whose other branch takes NaN: look-alike of r09_relu_of_nan.
__kernel void relu(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] < 0.0f ? 0.0f : a0[i];
}
