// kernel: softmax
// extents: any
// options: style=gpu
// Partial sums are read by all threads behind one barrier.
__kernel void softmax(__global const float *restrict a0, __global float *restrict r0) {
  __local float partial[1024];
  for (int row = get_group_id(0); row < ROWS; row += get_num_groups(0)) {
    __global const float * x = a0 + row * COLS;
    float best = -INFINITY, sum = 0.0f;
    for (int j = 0; j < COLS; j++) best = best != best || best > x[j] ? best : x[j];
    for (int j = get_local_id(0); j < COLS; j += get_local_size(0)) sum += exp(x[j] - best);
    partial[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int lane = 0; lane < get_local_size(0); lane++) sum += partial[lane];
    for (int j = get_local_id(0); j < COLS; j += get_local_size(0)) r0[row * COLS + j] = exp(x[j] - best) / sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
