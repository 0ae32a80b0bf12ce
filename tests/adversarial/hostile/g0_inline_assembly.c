/* class: R8
 * kernel: vadd
 * gate: G0
 * Assembler, even where it does nothing.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  __asm__ volatile("" ::: "memory");
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
