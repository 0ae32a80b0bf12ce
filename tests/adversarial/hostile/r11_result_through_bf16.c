/* class: R11
 * kernel: vadd
 * gate: G2
 * The sum is rounded once through bf16.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = mbc_round_bf16(a0[i] + a1[i]);
}
