/* class: R11
 * kernel: rowsum
 * gate: G2
 * The sum is kept in f16.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    _Float16 sum = 0;
    for (size_t j = 0; j < COLS; j++) sum += (_Float16)a0[i * COLS + j];
    r0[i] = (float)sum;
  }
}
