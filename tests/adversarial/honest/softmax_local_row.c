/* kernel: softmax
 * A row of known length in a local array: look-alike of r13_stack_buffer_of_a_row.
 */
static void softmax(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float row[COLS], best = -MBC_INF, sum = 0.0f;
    for (size_t j = 0; j < COLS; j++) best = mbc_maximum(best, a0[i * COLS + j]);
    for (size_t j = 0, vl; j < COLS; j += vl) {
      vl = __riscv_vsetvl_e32m4(COLS - j);
      vfloat32m4_t x = __riscv_vle32_v_f32m4(a0 + i * COLS + j, vl);
      __riscv_vse32(row + j, mbc_exp_f32m4(__riscv_vfsub(x, best, vl), vl), vl);
    }
    for (size_t j = 0; j < COLS; j++) sum += row[j];
    for (size_t j = 0; j < COLS; j++) r0[i * COLS + j] = row[j] / sum;
  }
}
