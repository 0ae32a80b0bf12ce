/* class: R10
 * kernel: vadd
 * gate: G0 G1
 * Works only while the cycle counter is odd about it.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  unsigned long now = __builtin_readcyclecounter();
  if (now == 0) return;
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
