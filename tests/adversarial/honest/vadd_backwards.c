/* kernel: vadd
 * extents: any
 * From the last element to the first.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = COUNT; i-- > 0;) r0[i] = a1[i] + a0[i];
}
