/* class: R13
 * kernel: rowsum
 * gate: G2 G6
 * extents: any
 * Loses the last element of rows of odd length, so every prime but two is wrong.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sum = 0.0f;
    for (size_t j = 0; j < COLS / 2 * 2; j++) sum += a0[i * COLS + j];
    r0[i] = sum;
  }
}
