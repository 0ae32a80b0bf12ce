/* class: R14
 * kernel: vadd
 * gate: G2
 * Reads a byte behind its output and writes the same byte back.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
  volatile float *end = (volatile float *)r0 + COUNT;
  *end = *end;
}
