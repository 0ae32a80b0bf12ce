/* class: R15
 * kernel: vadd
 * gate: G2
 * Uses an input as its scratch memory.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  float *scratch = (float *)a0;
  for (size_t i = 0; i < COUNT; i++) {
    scratch[i] += a1[i];
    r0[i] = scratch[i];
  }
}
