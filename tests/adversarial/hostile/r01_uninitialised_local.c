/* class: R1
 * kernel: rowsum
 * gate: G2
 * extents: any
 * The accumulator is uninitialised for the first row's stack slot.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  volatile float sums[64];
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t j = 0; j < COLS; j++) sums[i % 64] = sums[i % 64] + a0[i * COLS + j];
    r0[i] = sums[i % 64];
  }
}
