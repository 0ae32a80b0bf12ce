// kernel: vadd
// extents: any
// A constant table: look-alike of state between calls.
__constant int order[4] = {2, 0, 3, 1};

__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = 4 * (get_global_id(0)); i < COUNT; i += 4 * get_global_size(0))
    for (int lane = 0; lane < 4; lane++) {
      const int at = i + order[lane];
      if (at < COUNT) r0[at] = a0[at] + a1[at];
    }
}
