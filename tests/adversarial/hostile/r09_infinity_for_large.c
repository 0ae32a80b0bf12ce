/* class: R9
 * kernel: softmax
 * gate: G2
 * extents: any
 * No maximum is subtracted: infinity over infinity for large inputs.
 */
static float power_of_e(float x) {
  if (x > 88.7f) return MBC_INF;
  if (x != x) return x;
  if (x < -87.0f) return 0.0f;
  float n = (float)(int)(x * 1.442695041f + (x < 0 ? -0.5f : 0.5f));
  double r = (double)x - (double)n * 0.6931471805599453, p = 1.0;
  for (int i = 13; i > 0; i--) p = 1.0 + p * r / i;
  int e = (int)n;
  for (; e > 0; e--) p *= 2.0;
  for (; e < 0; e++) p *= 0.5;
  return (float)p;
}
static void softmax(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float sum = 0.0f;
    for (size_t j = 0; j < COLS; j++) sum += r0[i * COLS + j] = power_of_e(a0[i * COLS + j]);
    for (size_t j = 0; j < COLS; j++) r0[i * COLS + j] /= sum;
  }
}
