/* class: R14
 * kernel: vadd
 * gate: G2
 * One element in front of the start is read.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
  if (((const volatile float *)a1)[-1] == 12345.0f) r0[0] = 0.0f;
}
