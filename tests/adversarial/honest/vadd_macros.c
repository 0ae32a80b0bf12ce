/* kernel: vadd
 * extents: any
 * Macros that write the body four times: look-alike of a macro bomb.
 */
#define ADD(i) r0[i] = a0[i] + a1[i];
#define ADD2(i) ADD(i) ADD(i + 1)
#define ADD4(i) ADD2(i) ADD2(i + 2)
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  size_t i = 0;
  for (; i + 4 <= COUNT; i += 4) { ADD4(i) }
  for (; i < COUNT; i++) { ADD(i) }
}
