/* kernel: vadd
 * Knows its extent as a number, and claims no other.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (int block = 0; block < 8; block++)
    for (int i = 0; i < 125; i++) r0[125 * block + i] = a0[125 * block + i] + a1[125 * block + i];
}
