/* kernel: relu
 * extents: any
 * One comparison whose other branch takes NaN: look-alike of one that drops it.
 */
static void relu(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] < 0.0f ? 0.0f : a0[i];
}
