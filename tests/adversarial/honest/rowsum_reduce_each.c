/* kernel: rowsum
 * extents: any
 * Every vector is reduced at once; the order depends on VLEN, and that is right.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    vfloat32m1_t sum = __riscv_vfmv_s_f_f32m1(0.0f, 1);
    for (size_t j = 0, vl; j < COLS; j += vl) {
      vl = __riscv_vsetvl_e32m8(COLS - j);
      sum = __riscv_vfredusum(__riscv_vle32_v_f32m8(a0 + i * COLS + j, vl), sum, vl);
    }
    r0[i] = __riscv_vfmv_f_s_f32m1_f32(sum);
  }
}
