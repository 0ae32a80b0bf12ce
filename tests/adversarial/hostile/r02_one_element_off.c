/* class: R2
 * kernel: vadd
 * gate: G2
 * extents: any
 * Every element belongs one place to the left.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) {
    size_t from = i == 0 ? COUNT - 1 : i - 1;
    r0[i] = a0[from] + a1[from];
  }
}
