/* kernel: rowsum
 * extents: any
 * Kahan's sum, better than the reference in f32; special values by a plain sum.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sum = 0.0f, rest = 0.0f, plain = 0.0f;
    for (size_t j = 0; j < COLS; j++) {
      float x = a0[i * COLS + j], y = x - rest, t = sum + y;
      rest = (t - sum) - y;
      sum = t;
      plain += x;
    }
    r0[i] = sum == sum ? sum : plain;
  }
}
