// kernel: vadd
// extents: any
// options: style=gpu
// Items without work leave early: look-alike of r16_early_return.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  const int first = get_global_id(0);
  if (first >= COUNT) return;
  for (int i = first; i < COUNT; i += get_global_size(0)) r0[i] = a1[i] + a0[i];
}
