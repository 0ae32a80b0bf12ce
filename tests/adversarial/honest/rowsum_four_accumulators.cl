// kernel: rowsum
// extents: any
// options: style=gpu
// Four accumulators: look-alike of a dropped tail.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int j = 0; j < COLS; j++) sums[j % 4] += a0[i * COLS + j];
    r0[i] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }
}
