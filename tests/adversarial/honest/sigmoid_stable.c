/* kernel: sigmoid
 * extents: any
 * e^-|x| never overflows; both signs from one quotient.
 */
static void sigmoid(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0, vl; i < COUNT; i += vl) {
    vl = __riscv_vsetvl_e32m4(COUNT - i);
    vfloat32m4_t x = __riscv_vle32_v_f32m4(a0 + i, vl);
    vfloat32m4_t e = mbc_exp_f32m4(__riscv_vfneg(__riscv_vfabs(x, vl), vl), vl);
    vfloat32m4_t q = __riscv_vfrdiv(__riscv_vfadd(e, 1.0f, vl), 1.0f, vl);
    vbool8_t low = __riscv_vmflt(x, 0.0f, vl);
    __riscv_vse32(r0 + i, __riscv_vfmul_mu(low, q, q, e, vl), vl);
  }
}
