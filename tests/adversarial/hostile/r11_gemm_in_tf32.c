/* class: R11
 * kernel: gemm
 * gate: G2
 * Operands cut to the 10 bits of tf32.
 */
static float tf32(float x) {
  return mbc_bitcast_i32_f32((mbc_bitcast_f32_i32(x) + 0x1000) & ~0x1fff);
}
static void gemm(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, float *restrict r0) {
  for (size_t m = 0; m < GEMM_M; m++)
    for (size_t n = 0; n < GEMM_N; n++) {
      float sum = a2[n];
      for (size_t k = 0; k < GEMM_K; k++)
        sum += tf32(a0[m * GEMM_K + k]) * tf32(a1[k * GEMM_N + n]);
      r0[m * GEMM_N + n] = sum > 0.0f || sum != sum ? sum : 0.0f;
    }
}
