/* class: R11
 * kernel: vadd
 * gate: G2
 * Denormal numbers become zero.
 */
static float flushed(float x) { return __builtin_fabsf(x) < 0x1p-126f ? 0.0f : x; }

static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = flushed(flushed(a0[i]) + flushed(a1[i]));
}
