// class: R14
// kernel: rowsum
// gate: G2
// needs: oclgrind
// options: style=gpu
// A barrier inside of a branch.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  __local float partial[1024];
  for (int row = get_group_id(0); row < ROWS; row += get_num_groups(0)) {
    float sum = 0.0f;
    for (int j = get_local_id(0); j < COLS; j += get_local_size(0)) sum += a0[row * COLS + j];
    partial[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_way = get_local_size(0) / 2; half_way > 0; half_way /= 2)
      if (get_local_id(0) < half_way) {
        partial[get_local_id(0)] += partial[get_local_id(0) + half_way];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
    if (get_local_id(0) == 0) r0[row] = partial[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
