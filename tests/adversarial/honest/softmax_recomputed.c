/* kernel: softmax
 * extents: any
 * Exponentials are computed twice instead of stored.
 */
static void softmax(const float *restrict a0, float *restrict r0) {
  const size_t all = __riscv_vsetvlmax_e32m4();
  for (size_t i = 0; i < ROWS; i++) {
    const float *x = a0 + i * COLS;
    float best = -MBC_INF;
    for (size_t j = 0; j < COLS; j++) best = mbc_maximum(best, x[j]);
    vfloat32m4_t lanes = __riscv_vfmv_v_f_f32m4(0.0f, all);
    for (size_t j = 0, vl; j < COLS; j += vl) {
      vl = __riscv_vsetvl_e32m4(COLS - j);
      vfloat32m4_t e = __riscv_vfsub(__riscv_vle32_v_f32m4(x + j, vl), best, vl);
      lanes = __riscv_vfadd_tu(lanes, lanes, mbc_exp_f32m4(e, vl), vl);
    }
    vfloat32m1_t zero = __riscv_vfmv_s_f_f32m1(0.0f, 1);
    float sum = __riscv_vfmv_f_s_f32m1_f32(__riscv_vfredusum(lanes, zero, all));
    for (size_t j = 0, vl; j < COLS; j += vl) {
      vl = __riscv_vsetvl_e32m4(COLS - j);
      vfloat32m4_t e = __riscv_vfsub(__riscv_vle32_v_f32m4(x + j, vl), best, vl);
      e = __riscv_vfdiv(mbc_exp_f32m4(e, vl), sum, vl);
      __riscv_vse32(r0 + i * COLS + j, e, vl);
    }
  }
}
