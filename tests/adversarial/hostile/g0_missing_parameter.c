/* class: R17
 * kernel: vadd
 * gate: G0 G1
 * One parameter too few.
 */
static void vadd(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i];
}
