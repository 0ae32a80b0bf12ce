/* class: R14
 * kernel: vadd
 * gate: G2
 * Whole vectors are read behind the end, and only the right part is stored.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  const size_t all = __riscv_vsetvlmax_e32m4();
  for (size_t i = 0; i < COUNT; i += all) {
    vfloat32m4_t x = __riscv_vle32_v_f32m4(a0 + i, all);
    vfloat32m4_t y = __riscv_vle32_v_f32m4(a1 + i, all);
    size_t vl = __riscv_vsetvl_e32m4(COUNT - i);
    __riscv_vse32(r0 + i, __riscv_vfadd(x, y, vl), vl);
  }
}
