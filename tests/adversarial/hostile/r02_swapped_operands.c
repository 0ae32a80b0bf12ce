/* class: R2
 * kernel: vsub
 * gate: G2
 * Parameters in the other order.
 */
static void vsub(const float *restrict a1, const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] - a1[i];
}
