/* kernel: rowmax
 * extents: any
 * vfredmax drops NaN, so NaN is counted apart.
 */
static void rowmax(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    vfloat32m1_t best = __riscv_vfmv_s_f_f32m1(-MBC_INF, 1);
    size_t nans = 0;
    for (size_t j = 0, vl; j < COLS; j += vl) {
      vl = __riscv_vsetvl_e32m8(COLS - j);
      vfloat32m8_t x = __riscv_vle32_v_f32m8(a0 + i * COLS + j, vl);
      nans += __riscv_vcpop(__riscv_vmfne(x, x, vl), vl);
      best = __riscv_vfredmax(x, best, vl);
    }
    r0[i] = nans ? MBC_NAN : __riscv_vfmv_f_s_f32m1_f32(best);
  }
}
