/* class: R14
 * kernel: vadd
 * gate: G0 G1 G2
 * Needs more stack than there is.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  volatile char pages[1 << 26];
  for (size_t i = 0; i < sizeof pages; i += 4096) pages[i] = 1;
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i] + pages[4096 * (i % 3)] - 1;
}
