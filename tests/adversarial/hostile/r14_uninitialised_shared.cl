// class: R14
// kernel: rowsum
// gate: G2
// options: style=gpu
// The accumulator in shared memory never gets a first value.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  __local float total;
  for (int row = get_group_id(0); row < ROWS; row += get_num_groups(0)) {
    if (get_local_id(0) == 0)
      for (int j = 0; j < COLS; j++) total += a0[row * COLS + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) r0[row] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
