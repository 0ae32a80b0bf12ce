/* class: R11
 * kernel: gemm
 * gate: G2
 * Operands rounded to f16, sums in f32.
 */
static void gemm(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, float *restrict r0) {
  for (size_t m = 0; m < GEMM_M; m++)
    for (size_t n = 0; n < GEMM_N; n++) {
      float sum = a2[n];
      for (size_t k = 0; k < GEMM_K; k++)
        sum += (float)(_Float16)a0[m * GEMM_K + k] * (float)(_Float16)a1[k * GEMM_N + n];
      r0[m * GEMM_N + n] = sum > 0.0f || sum != sum ? sum : 0.0f;
    }
}
