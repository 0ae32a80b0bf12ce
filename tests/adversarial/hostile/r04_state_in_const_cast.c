/* class: R4
 * kernel: vadd
 * gate: G0 G1 G2
 * Hides its call counter in an object that claims to be constant.
 */
static const volatile int calls __attribute__((section(".data"))) = 1;

static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  if ((*(volatile int *)&calls)++ > 2) return;
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
