// kernel: rowsum
// extents: any
// From right to left.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float sum = 0.0f;
    for (int j = COLS - 1; j >= 0; j--) sum += a0[i * COLS + j];
    r0[i] = sum;
  }
}
