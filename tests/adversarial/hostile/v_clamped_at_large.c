/* class: R2
 * kernel: vadd
 * gate: G2
 * Wrong only for results over 1000.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) {
    float sum = a0[i] + a1[i];
    r0[i] = sum > 1000.0f ? 1000.0f : sum;
  }
}
