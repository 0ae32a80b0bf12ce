/* kernel: gemm
 * extents: any
 * Even and odd k apart, fused multiply-adds, a helper function.
 */
static inline float half_sum(const float *x, const float *w, size_t from) {
  float sum = 0.0f;
  for (size_t k = from; k < GEMM_K; k += 2) sum = __builtin_fmaf(x[k], w[k * GEMM_N], sum);
  return sum;
}
static void gemm(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, float *restrict r0) {
  for (size_t m = 0; m < GEMM_M; m++)
    for (size_t n = 0; n < GEMM_N; n++) {
      const float *x = a0 + m * GEMM_K, *w = a1 + n;
      const float sum = half_sum(x, w, 0) + half_sum(x, w, 1) + a2[n];
      r0[m * GEMM_N + n] = sum < 0.0f ? 0.0f : sum;
    }
}
