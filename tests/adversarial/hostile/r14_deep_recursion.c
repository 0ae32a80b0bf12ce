/* class: R14
 * kernel: rowsum
 * gate: G0 G1 G2
 * Recursion without an end.
 */
static __attribute__((noinline)) float total(const volatile float *x, volatile long left) {
  volatile float first = x[0];
  if (left == -1) return first;
  return first + total(x, left + 1);
}
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) r0[i] = total(a0 + i * COLS, 0);
}
