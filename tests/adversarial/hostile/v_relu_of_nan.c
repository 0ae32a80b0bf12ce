/* class: R9
 * kernel: relu
 * gate: G2
 * A comparison that makes NaN a zero.
 */
static void relu(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] > 0.0f ? a0[i] : 0.0f;
}
