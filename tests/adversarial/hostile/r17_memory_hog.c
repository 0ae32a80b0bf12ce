/* class: R17
 * kernel: vadd
 * gate: G0 G1 G2
 * Three gigabytes of static data.
 */
static volatile char pages[3000000000u];

static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < sizeof pages; i += 4096) pages[i] = 1;
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
