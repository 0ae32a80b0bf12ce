/* class: R13
 * kernel: vadd
 * gate: G2 G6
 * extents: any
 * Claims any extent, and always does a thousand.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < 1000 && i < COUNT; i++) r0[i] = a0[i] + a1[i];
  for (size_t i = 1000; i < COUNT; i++) r0[i] = a0[i];
  if (COUNT < 1000) r0[0] = 0.0f;
}
