/* class: R2
 * kernel: rowsum
 * gate: G2
 * Twice the sum of every second element.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sum = 0.0f;
    for (size_t j = 0; j < COLS; j += 2) sum += 2.0f * a0[i * COLS + j];
    r0[i] = sum;
  }
}
