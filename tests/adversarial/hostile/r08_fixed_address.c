/* class: R8
 * kernel: vadd
 * gate: G0 G1 G2
 * Writes into the harness' job at the address where it is known to lie.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  volatile uint64_t *job = (volatile uint64_t *)0x1000000000;
  job[3] = 0;
  job[1] = 64;
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
