/* class: R11
 * kernel: gelu
 * gate: G2
 * The tanh approximation, good to three digits.
 */
static float power_of_e(float x) {
  float n = (float)(int)(x * 1.442695041f + (x < 0 ? -0.5f : 0.5f));
  double r = (double)x - (double)n * 0.6931471805599453, p = 1.0;
  for (int i = 13; i > 0; i--) p = 1.0 + p * r / i;
  int e = (int)n;
  for (; e > 0; e--) p *= 2.0;
  for (; e < 0; e++) p *= 0.5;
  return (float)p;
}
static void gelu(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) {
    float x = a0[i], t = 0.7978845608f * (x + 0.044715f * x * x * x);
    t = t > 9.0f ? 9.0f : t > -9.0f ? t : -9.0f;
    float e = power_of_e(2.0f * t);
    r0[i] = 0.5f * x * (1.0f + (e - 1.0f) / (e + 1.0f));
  }
}
