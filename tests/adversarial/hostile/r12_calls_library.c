/* class: R12
 * kernel: gemm
 * gate: G0 G1
 * Leaves the work to a library.
 */
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *,
    int, float, float *, int);

static void gemm(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, float *restrict r0) {
  cblas_sgemm(101, 111, 111, GEMM_M, GEMM_N, GEMM_K, 1.0f, a0, GEMM_K, a1, GEMM_N, 0.0f,
      r0, GEMM_N);
}
