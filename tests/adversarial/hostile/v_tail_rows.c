/* class: R13
 * kernel: gemm
 * gate: G2
 * Rows behind the last whole tile of five stay unwritten.
 */
static void gemm(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, float *restrict r0) {
  for (size_t m = 0; m + 5 <= GEMM_M; m += 5)
    for (size_t row = m; row < m + 5; row++)
      for (size_t n = 0; n < GEMM_N; n++) {
        float sum = a2[n];
        for (size_t k = 0; k < GEMM_K; k++)
          sum += a0[row * GEMM_K + k] * a1[k * GEMM_N + n];
        r0[row * GEMM_N + n] = mbc_maximum(sum, 0.0f);
      }
}
