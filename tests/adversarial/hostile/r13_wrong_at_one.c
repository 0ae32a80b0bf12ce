/* class: R13
 * kernel: rowsum
 * gate: G2 G6
 * extents: any
 * Starts with two elements, and there may be one.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sum = 0.0f;
    for (size_t j = 0; j + 1 < COLS; j += 2) sum += a0[i * COLS + j] + a0[i * COLS + j + 1];
    if (COLS > 1 && COLS % 2) sum += a0[i * COLS + COLS - 1];
    r0[i] = sum;
  }
}
