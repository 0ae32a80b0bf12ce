/* kernel: vadd
 * extents: any
 * Walks pointers; look-alike of reading beyond the end.
 */
static void vadd(const float *a0, const float *a1, float *r0) {
  const float *end = a0 + COUNT;
  while (a0 != end) *r0++ = *a0++ + *a1++;
}
