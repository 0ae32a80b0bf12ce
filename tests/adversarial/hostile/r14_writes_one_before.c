/* class: R14
 * kernel: vadd
 * gate: G2
 * Writes in front of its output.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  r0[-1] = 0.0f;
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
