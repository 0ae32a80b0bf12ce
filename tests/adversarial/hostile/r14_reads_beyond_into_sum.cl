// class: R14
// kernel: rowsum
// gate: G2
// Rows are one element too long.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float sum = 0.0f;
    for (int j = 0; j <= COLS; j++) sum += a0[i * COLS + j];
    r0[i] = sum;
  }
}
