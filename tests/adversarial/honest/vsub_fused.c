/* kernel: vsub
 * extents: any
 * A difference as one fused multiply-add.
 */
static void vsub(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = __builtin_fmaf(-1.0f, a1[i], a0[i]);
}
