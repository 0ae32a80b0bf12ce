/* class: R17
 * kernel: vadd
 * gate: G0 G1
 * The function has another name.
 */
static void add(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
