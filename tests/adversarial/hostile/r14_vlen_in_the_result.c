/* class: R14
 * kernel: rowsum
 * gate: G2
 * Adds lanes of a register beyond those that were loaded, as VLEN 512 would hold.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    size_t vl = __riscv_vsetvl_e32m8(COLS);
    vfloat32m1_t sum = __riscv_vfmv_s_f_f32m1(0.0f, 1);
    sum = __riscv_vfredusum(__riscv_vle32_v_f32m8(a0 + i * COLS, vl), sum, vl);
    r0[i] = __riscv_vfmv_f_s_f32m1_f32(sum);
  }
}
