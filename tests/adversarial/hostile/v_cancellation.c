/* class: R11
 * kernel: vsub
 * gate: G2
 * A difference by way of products: exact for numbers of like size only in theory.
 */
static void vsub(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) {
    float sum = a0[i] + a1[i], squares = a0[i] * a0[i] - a1[i] * a1[i];
    r0[i] = sum != 0.0f ? squares / sum : a0[i] - a1[i];
  }
}
