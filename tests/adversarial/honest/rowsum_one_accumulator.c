/* kernel: rowsum
 * extents: any
 * One accumulator from left to right.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sum = 0.0f;
    for (size_t j = 0; j < COLS; j++) sum += a0[i * COLS + j];
    r0[i] = sum;
  }
}
