/* kernel: rowsum
 * extents: any
 * `_tu` properly used: look-alike of r14_forgotten_tail_undisturbed.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  const size_t all = __riscv_vsetvlmax_e32m4();
  for (size_t i = 0; i < ROWS; i++) {
    vfloat32m4_t lanes = __riscv_vfmv_v_f_f32m4(0.0f, all);
    for (size_t j = 0, vl; j < COLS; j += vl) {
      vl = __riscv_vsetvl_e32m4(COLS - j);
      lanes = __riscv_vfadd_tu(lanes, lanes, __riscv_vle32_v_f32m4(a0 + i * COLS + j, vl), vl);
    }
    vfloat32m1_t sum = __riscv_vfmv_s_f_f32m1(0.0f, 1);
    r0[i] = __riscv_vfmv_f_s_f32m1_f32(__riscv_vfredusum(lanes, sum, all));
  }
}
