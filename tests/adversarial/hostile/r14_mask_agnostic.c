/* class: R14
 * kernel: relu
 * gate: G2
 * Lanes that the mask leaves out are agnostic, and are stored.
 */
static void relu(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0, vl; i < COUNT; i += vl) {
    vl = __riscv_vsetvl_e32m4(COUNT - i);
    vfloat32m4_t x = __riscv_vle32_v_f32m4(a0 + i, vl);
    vbool8_t negative = __riscv_vmflt(x, 0.0f, vl);
    __riscv_vse32(r0 + i, __riscv_vfmul(negative, x, 0.0f, vl), vl);
  }
}
