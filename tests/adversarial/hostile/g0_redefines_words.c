/* class: R8
 * kernel: vadd
 * gate: G0 G1
 * Changes what the dispatch after it says.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
#define mbc_run mbc_run_of_the_kernel
void mbc_run_of_the_kernel(void **buffers, char *arena);
#undef mbc_run
void mbc_run(void **buffers, char *arena) {}
#define mbc_run mbc_run_of_the_kernel
