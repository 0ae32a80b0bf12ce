/* class: R2
 * kernel: vadd
 * gate: G0 G1 G2
 * The elements are taken for doubles.
 */
static void vadd(const double *restrict a0, const double *restrict a1, double *restrict r0) {
  for (size_t i = 0; i < COUNT / 2; i++) r0[i] = a0[i] + a1[i];
}
