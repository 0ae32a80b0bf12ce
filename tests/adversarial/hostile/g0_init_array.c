/* class: R8
 * kernel: vadd
 * gate: G0 G1
 * A constructor by its section.
 */
static void early(void) {}
__attribute__((used, section(".init_array"))) static void (*const entry)(void) = early;

static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
