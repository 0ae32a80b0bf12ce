/* class: R1
 * kernel: vadd
 * gate: G2
 * Trusts that the output starts as zeros.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] += a0[i] + a1[i];
}
