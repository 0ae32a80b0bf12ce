/* class: R14
 * kernel: vadd
 * gate: G2
 * Dereferences null.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  *(volatile int *)0 = 1;
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
