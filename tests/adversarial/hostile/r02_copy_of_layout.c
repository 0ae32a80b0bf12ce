/* class: R2
 * kernel: transpose
 * gate: G2
 * Copies instead of transposing: right for one row or one column only.
 */
static void transpose(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS * COLS; i++) r0[i] = a0[i];
}
