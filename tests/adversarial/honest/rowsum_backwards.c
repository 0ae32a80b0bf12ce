/* kernel: rowsum
 * extents: any
 * From right to left.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sum = 0.0f;
    for (size_t j = COLS; j-- > 0;) sum += a0[i * COLS + j];
    r0[i] = sum;
  }
}
