/* kernel: vadd
 * extents: any
 * A static table that no one can write: look-alike of static state.
 */
static const unsigned char order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
static const float *const nothing = 0;

static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  if (a0 == nothing) return;
  for (size_t i = 0; i < COUNT; i += 8)
    for (size_t lane = 0; lane < 8; lane++) {
      const size_t at = i + order[lane];
      if (at < COUNT) r0[at] = a0[at] + a1[at];
    }
}
