/* class: R13
 * kernel: vadd
 * gate: G2 G6
 * extents: any
 * The tail after the last whole group of four is left out.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT / 4 * 4; i++) r0[i] = a0[i] + a1[i];
}
