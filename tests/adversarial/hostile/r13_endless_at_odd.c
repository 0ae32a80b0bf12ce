/* class: R13
 * kernel: vadd
 * gate: G2 G6
 * extents: any
 * Never ends where the extent is odd.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (volatile size_t i = 0; i != COUNT; i += 2) {
    if (i < COUNT) r0[i] = a0[i] + a1[i];
    if (i + 1 < COUNT) r0[i + 1] = a0[i + 1] + a1[i + 1];
  }
}
