// class: R14
// kernel: rowsum
// gate: G0
// options: style=gpu
// Sums by compare and exchange in the order of arrival, which is not declared.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  __local volatile uint total;
  for (int row = get_group_id(0); row < ROWS; row += get_num_groups(0)) {
    if (get_local_id(0) == 0) total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = get_local_id(0); j < COLS; j += get_local_size(0)) {
      uint before, after;
      do {
        before = total;
        after = as_uint(as_float(before) + a0[row * COLS + j]);
      } while (atomic_cmpxchg(&total, before, after) != before);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) r0[row] = as_float(total);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
