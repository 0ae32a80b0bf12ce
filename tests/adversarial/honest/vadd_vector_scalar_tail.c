/* kernel: vadd
 * extents: any
 * Whole vectors first, single elements for the rest: look-alike of a dropped tail.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  const size_t all = __riscv_vsetvlmax_e32m2();
  size_t i = 0;
  for (; i + all <= COUNT; i += all) {
    vfloat32m2_t x = __riscv_vle32_v_f32m2(a0 + i, all);
    __riscv_vse32(r0 + i, __riscv_vfadd(x, __riscv_vle32_v_f32m2(a1 + i, all), all), all);
  }
  for (; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
