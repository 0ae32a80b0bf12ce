// class: R14
// kernel: rowsum
// gate: G2
// needs: oclgrind
// options: style=gpu
// All threads add to one element without atomics.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  for (int row = get_group_id(0); row < ROWS; row += get_num_groups(0)) {
    if (get_local_id(0) == 0) r0[row] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = get_local_id(0); j < COLS; j += get_local_size(0)) {
      const float before = r0[row];
      
      r0[row] = before + a0[row * COLS + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
