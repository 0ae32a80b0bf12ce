/* class: R9
 * kernel: vadd
 * gate: G2
 * Infinity becomes the largest finite number.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) {
    float sum = a0[i] + a1[i];
    r0[i] = sum > 0x1.fffffep127f ? 0x1.fffffep127f : sum;
  }
}
