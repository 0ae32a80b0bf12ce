/* class: R2
 * kernel: rowmax
 * gate: G2
 * Wrong for rows without a positive element.
 */
static void rowmax(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float best = 0.0f;
    for (size_t j = 0; j < COLS; j++) best = mbc_maximum(best, a0[i * COLS + j]);
    r0[i] = best;
  }
}
