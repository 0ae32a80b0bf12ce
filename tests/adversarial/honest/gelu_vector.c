/* kernel: gelu
 * extents: any
 * With the vector erf of the prelude.
 */
static void gelu(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0, vl; i < COUNT; i += vl) {
    vl = __riscv_vsetvl_e32m4(COUNT - i);
    vfloat32m4_t x = __riscv_vle32_v_f32m4(a0 + i, vl);
    vfloat32m4_t e = mbc_erf_f32m4(__riscv_vfmul(x, 0.70710678f, vl), vl);
    x = __riscv_vfmul(x, 0.5f, vl);
    __riscv_vse32(r0 + i, __riscv_vfmadd(e, x, x, vl), vl);
  }
}
