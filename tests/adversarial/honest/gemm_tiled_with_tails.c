/* kernel: gemm
 * extents: any
 * Tiles of five rows and the rows behind them: look-alike of v_tail_rows.
 */
static void gemm(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, float *restrict r0) {
  for (size_t m = 0; m < GEMM_M; m += 5) {
    const size_t end = m + 5 < GEMM_M ? m + 5 : GEMM_M;
    for (size_t row = m; row < end; row++)
      for (size_t n = 0, vl; n < GEMM_N; n += vl) {
        vl = __riscv_vsetvl_e32m2(GEMM_N - n);
        vfloat32m2_t sum = __riscv_vle32_v_f32m2(a2 + n, vl);
        for (size_t k = 0; k < GEMM_K; k++)
          sum = __riscv_vfmacc(sum, a0[row * GEMM_K + k],
              __riscv_vle32_v_f32m2(a1 + k * GEMM_N + n, vl), vl);
        vbool16_t low = __riscv_vmflt(sum, 0.0f, vl);
        __riscv_vse32(r0 + row * GEMM_N + n, __riscv_vfmerge(sum, 0.0f, low, vl), vl);
      }
  }
}
