// kernel: rowsum
// extents: any
// options: style=gpu
// One thread sums, another stores: look-alike of r14_uninitialised_shared.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  __local float total;
  for (int row = get_group_id(0); row < ROWS; row += get_num_groups(0)) {
    if (get_local_id(0) == 0) {
      total = 0.0f;
      for (int j = 0; j < COLS; j++) total += a0[row * COLS + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == get_local_size(0) - 1) r0[row] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
