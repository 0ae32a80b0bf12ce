/* class: R19
 * kernel: vadd
 * gate: G0 G1
 * The compiler's error message would quote the file.
 */
#include "/etc/hostname"
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
}
