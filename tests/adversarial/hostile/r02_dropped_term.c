/* class: R2
 * kernel: rowsum
 * gate: G2
 * One term of a hundred is missing.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sum = 0.0f;
    for (size_t j = 0; j < COLS; j++)
      if (j != 41) sum += a0[i * COLS + j];
    r0[i] = sum;
  }
}
