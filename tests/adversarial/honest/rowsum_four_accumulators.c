/* kernel: rowsum
 * extents: any
 * Four accumulators and a tail: look-alike of a dropped one.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (size_t j = 0; j < COLS; j++) sums[j % 4] += a0[i * COLS + j];
    r0[i] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }
}
