// kernel: vadd
// extents: any
// options: style=gpu
// Two elements per step and a guarded second one: look-alike of r14_neighbours_tile.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = 2 * (get_global_id(0)); i < COUNT; i += 2 * get_global_size(0)) {
    r0[i] = a0[i] + a1[i];
    if (i + 1 < COUNT) r0[i + 1] = a0[i + 1] + a1[i + 1];
  }
}
