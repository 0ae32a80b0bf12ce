/* class: R11
 * kernel: sigmoid
 * gate: G2
 * Divides by the 7-bit estimate.
 */
static void sigmoid(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0, vl; i < COUNT; i += vl) {
    vl = __riscv_vsetvl_e32m4(COUNT - i);
    vfloat32m4_t x = __riscv_vle32_v_f32m4(a0 + i, vl);
    x = __riscv_vfadd(mbc_exp_f32m4(__riscv_vfneg(x, vl), vl), 1.0f, vl);
    __riscv_vse32(r0 + i, __riscv_vfrec7(x, vl), vl);
  }
}
