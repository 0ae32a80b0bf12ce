/* class: R2
 * kernel: vadd
 * gate: G2
 * One element of a thousand is wrong.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = i == 777 ? a0[i] : a0[i] + a1[i];
}
