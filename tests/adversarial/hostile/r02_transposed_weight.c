/* class: R2
 * kernel: gemm
 * gate: G2
 * Reads the weight as its transpose.
 */
static void gemm(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, float *restrict r0) {
  for (size_t m = 0; m < GEMM_M; m++)
    for (size_t n = 0; n < GEMM_N; n++) {
      float sum = a2[n];
      for (size_t k = 0; k < GEMM_K; k++) sum += a0[m * GEMM_K + k] * a1[n * GEMM_K + k];
      r0[m * GEMM_N + n] = sum > 0.0f || sum != sum ? sum : 0.0f;
    }
}
