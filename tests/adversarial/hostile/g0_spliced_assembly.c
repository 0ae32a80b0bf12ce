/* class: R8
 * kernel: vadd
 * gate: G0 G1
 * Assembler behind line splices and token pasting.
 */
#define JOIN(a, b) a##b
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  JOIN(__as, m__) volatile("ecall");
  __a\
sm__ volatile("ecall");
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
