/* kernel: rowmax
 * Floats in the order of integers, with NaN above all; a row is known to have an element.
 */
static int32_t ordered(float x) {
  int32_t bits = mbc_bitcast_f32_i32(x);
  if (x != x) return INT32_MAX;
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}
static void rowmax(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    size_t best = i * COLS;
    for (size_t j = i * COLS; j < (i + 1) * COLS; j++)
      if (ordered(a0[j]) > ordered(a0[best])) best = j;
    r0[i] = a0[best];
  }
}
