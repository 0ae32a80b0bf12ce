/* kernel: vsub
 * extents: any
 * Strided loads of pairs.
 */
static void vsub(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t lane = 0; lane < 2; lane++)
    for (size_t i = 0, vl, half = (COUNT + 1 - lane) / 2; i < half; i += vl) {
      vl = __riscv_vsetvl_e32m1(half - i);
      vfloat32m1_t x = __riscv_vlse32_v_f32m1(a0 + 2 * i + lane, 8, vl);
      vfloat32m1_t y = __riscv_vlse32_v_f32m1(a1 + 2 * i + lane, 8, vl);
      __riscv_vsse32(r0 + 2 * i + lane, 8, __riscv_vfsub(x, y, vl), vl);
    }
}
