// class: R13
// kernel: rowsum
// gate: G2 G6
// extents: any
// Loses the last element of rows of odd length.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float sum = 0.0f;
    for (int j = 0; j < COLS / 2 * 2; j++) sum += a0[i * COLS + j];
    r0[i] = sum;
  }
}
