/* kernel: vadd
 * extents: any
 * Puts a first value into its output and adds to it: look-alike of one that trusts zeros.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i];
  for (size_t i = 0; i < COUNT; i++) r0[i] += a1[i];
}
