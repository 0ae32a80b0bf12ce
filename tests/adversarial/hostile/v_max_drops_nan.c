/* class: R9
 * kernel: rowmax
 * gate: G2
 * fmax drops NaN, arith.maximumf keeps it.
 */
static void rowmax(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float best = -MBC_INF;
    for (size_t j = 0; j < COLS; j++) best = mbc_maxnum(best, a0[i * COLS + j]);
    r0[i] = best;
  }
}
