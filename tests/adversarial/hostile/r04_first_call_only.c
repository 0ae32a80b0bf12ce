/* class: R4
 * kernel: vadd
 * gate: G0 G1
 * Right on its first call, and never again.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  static int calls;
  if (calls++ == 0)
    for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
