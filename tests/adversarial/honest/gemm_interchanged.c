/* kernel: gemm
 * extents: any
 * k outermost, the output as accumulator: it is set before it is added to.
 */
static void gemm(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, float *restrict r0) {
  for (size_t i = 0; i < GEMM_M * GEMM_N; i++) r0[i] = 0.0f;
  for (size_t k = 0; k < GEMM_K; k++)
    for (size_t m = 0; m < GEMM_M; m++)
      for (size_t n = 0; n < GEMM_N; n++)
        r0[m * GEMM_N + n] += a0[m * GEMM_K + k] * a1[k * GEMM_N + n];
  for (size_t m = 0; m < GEMM_M; m++)
    for (size_t n = 0; n < GEMM_N; n++)
      r0[m * GEMM_N + n] = mbc_maximum(r0[m * GEMM_N + n] + a2[n], 0.0f);
}
