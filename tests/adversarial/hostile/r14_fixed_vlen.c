/* class: R14
 * kernel: vadd
 * gate: G2
 * Right at VLEN 256 only: 32 elements are taken for what a register group holds.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  size_t i = 0;
  for (; i + 32 <= COUNT; i += 32) {
    size_t vl = __riscv_vsetvl_e32m4(32);
    vfloat32m4_t x = __riscv_vle32_v_f32m4(a0 + i, vl);
    __riscv_vse32(r0 + i, __riscv_vfadd(x, __riscv_vle32_v_f32m4(a1 + i, vl), vl), vl);
  }
  for (; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
