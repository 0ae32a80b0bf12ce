/* kernel: rowsum
 * extents: any
 * Sums in double: more exact than asked for.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < COLS; j++) sum += a0[i * COLS + j];
    r0[i] = (float)sum;
  }
}
