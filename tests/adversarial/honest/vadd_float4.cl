// kernel: vadd
// extents: any
// Vector loads with a scalar tail.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = 4 * (get_global_id(0)); i < COUNT; i += 4 * get_global_size(0)) {
    if (i + 4 <= COUNT) {
      vstore4(vload4(0, a0 + i) + vload4(0, a1 + i), 0, r0 + i);
      continue;
    }
    for (int at = i; at < COUNT; at++) r0[at] = a0[at] + a1[at];
  }
}
