/* kernel: rowsum
 * extents: any
 * The last vector is filled up with zeros, so agnostic lanes cannot matter.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  const size_t all = __riscv_vsetvlmax_e32m2();
  for (size_t i = 0; i < ROWS; i++) {
    vfloat32m2_t lanes = __riscv_vfmv_v_f_f32m2(-0.0f, all);
    for (size_t j = 0; j < COLS; j += all) {
      vfloat32m2_t x = __riscv_vfmv_v_f_f32m2(-0.0f, all);
      size_t vl = __riscv_vsetvl_e32m2(COLS - j < all ? COLS - j : all);
      x = __riscv_vle32_v_f32m2_tu(x, a0 + i * COLS + j, vl);
      lanes = __riscv_vfadd(lanes, x, all);
    }
    vfloat32m1_t sum = __riscv_vfmv_s_f_f32m1(0.0f, 1);
    r0[i] = __riscv_vfmv_f_s_f32m1_f32(__riscv_vfredosum(lanes, sum, all));
  }
}
