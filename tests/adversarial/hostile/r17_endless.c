/* class: R17
 * kernel: vadd
 * gate: G2
 * Never ends: no measurement, which must not rank as the best one.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  volatile int go = 1;
  while (go) r0[0] = 0.0f;
}
