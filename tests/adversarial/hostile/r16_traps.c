/* class: R16
 * kernel: vadd
 * gate: G0 G1 G2
 * Dies on purpose.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  __builtin_trap();
}
