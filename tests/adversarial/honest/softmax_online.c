/* kernel: softmax
 * extents: any
 * One pass keeps the maximum and rescales the sum; own e^x from a polynomial in double.
 */
static float power_of_e(float x) {
  if (x != x) return x;
  if (x < -104.0f) return 0.0f;
  float n = (float)(int)(x * 1.442695041f + (x < 0 ? -0.5f : 0.5f));
  double r = (double)x - (double)n * 0.6931471805599453, p = 1.0;
  for (int i = 13; i > 0; i--) p = 1.0 + p * r / i;
  for (int e = (int)n; e < 0; e++) p *= 0.5;
  return (float)p;
}
static void softmax(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    const float *x = a0 + i * COLS;
    float best = x[0], sum = 1.0f;
    for (size_t j = 1; j < COLS; j++) {
      float next = mbc_maximum(best, x[j]);
      sum = sum * power_of_e(best - next) + power_of_e(x[j] - next);
      best = next;
    }
    for (size_t j = 0; j < COLS; j++) r0[i * COLS + j] = power_of_e(x[j] - best) / sum;
  }
}
