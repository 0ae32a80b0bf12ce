/* class: R15
 * kernel: vadd
 * gate: G2
 * Writes an input and puts back what was there.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  volatile float *first = (volatile float *)a0;
  float kept = first[0];
  first[0] = 0.0f;
  for (size_t i = 1; i < COUNT; i++) r0[i] = a0[i] + a1[i];
  first[0] = kept;
  r0[0] = kept + a1[0];
}
