/* kernel: vadd
 * The last vector starts early and writes some elements twice, with the same values.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i += 16) {
    size_t at = i + 16 <= COUNT ? i : COUNT - 16, left = 16;
    while (left) {
      size_t vl = __riscv_vsetvl_e32m1(left);
      vfloat32m1_t x = __riscv_vle32_v_f32m1(a0 + at, vl);
      x = __riscv_vfadd(x, __riscv_vle32_v_f32m1(a1 + at, vl), vl);
      __riscv_vse32(r0 + at, x, vl);
      at += vl, left -= vl;
    }
  }
}
