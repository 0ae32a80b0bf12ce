/* Elementary functions for freestanding targets, in double and, through it, float.
 *
 * Errors are below 4 ulp of double (erf 8, pow 100 for large results), so the float
 * versions are correctly rounded but for rare ties. NaN, infinities, signed zeros and
 * denormal numbers are treated as in C's Annex F; no exceptions, no errno.
 */
#include <stdint.h>

#define MBC_MATH_INF __builtin_inf()
#define MBC_MATH_NAN __builtin_nan("")
#define MBC_LN2 0x1.62e42fefa39efp-1
#define MBC_LN2_HI 0x1.62e42p-1 /* n * MBC_LN2_HI is exact for every exponent n */
#define MBC_LN2_LO 4.7493250390316726e-07

static inline uint64_t mbc_bits(double x) {
  union {
    double x;
    uint64_t bits;
  } both = {x};
  return both.bits;
}

static inline double mbc_from_bits(uint64_t bits) {
  union {
    uint64_t bits;
    double x;
  } both = {bits};
  return both.x;
}

static inline double mbc_fabs(double x) { return __builtin_fabs(x); }
static inline double mbc_copysign(double x, double y) {
  return __builtin_copysign(x, y);
}

/* A builtin may call the C library where it keeps errno: say the instruction. */
#if defined(__riscv_flen) && __riscv_flen >= 64
static inline double mbc_sqrt(double x) {
  double y;
  __asm__("fsqrt.d %0, %1" : "=f"(y) : "f"(x));
  return y;
}

static inline double mbc_fma(double x, double y, double z) {
  double w;
  __asm__("fmadd.d %0, %1, %2, %3" : "=f"(w) : "f"(x), "f"(y), "f"(z));
  return w;
}

static inline float mbc_fmaf(float x, float y, float z) {
  float w;
  __asm__("fmadd.s %0, %1, %2, %3" : "=f"(w) : "f"(x), "f"(y), "f"(z));
  return w;
}
#else
static inline double mbc_sqrt(double x) { return __builtin_sqrt(x); }
static inline double mbc_fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
static inline float mbc_fmaf(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
#endif

/* ---- rounding to integers ---- */

static inline double mbc_trunc(double x) {
  if (!(mbc_fabs(x) < 0x1p52)) return x;
  return mbc_copysign((double)(int64_t)x, x);
}

static inline double mbc_floor(double x) {
  double t = mbc_trunc(x);
  return t > x ? t - 1 : t;
}

static inline double mbc_ceil(double x) {
  double t = mbc_trunc(x);
  return t < x ? mbc_copysign(t + 1, x) : t;
}

/* Halves away from zero. */
static inline double mbc_round(double x) {
  double t = mbc_trunc(x);
  return mbc_fabs(x - t) >= 0.5 ? t + mbc_copysign(1, x) : t;
}

/* Halves to even. */
static inline double mbc_rint(double x) {
  double t = mbc_trunc(x), rest = mbc_fabs(x - t);
  int odd = mbc_fabs(t) < 0x1p52 && ((int64_t)t & 1);
  return rest > 0.5 || (rest == 0.5 && odd) ? t + mbc_copysign(1, x) : t;
}

/* ---- exponentials ---- */

/* x * 2^n for |n| < 2100, rounded once where the result is denormal. */
static inline double mbc_scale(double x, int n) {
  if (n > 1023) x *= 0x1p1023, n -= 1023;
  if (n > 1023) x *= 0x1p1023, n -= 1023;
  if (n < -1022) x *= 0x1p-969, n += 969;
  if (n < -1022) x *= 0x1p-969, n += 969;
  return x * mbc_from_bits((uint64_t)(1023 + n) << 52);
}

/* e^r - 1 for |r| < 0.35 by its Taylor series. */
static inline double mbc_expm1_near_0(double r) {
  double p = 1.0 / 6227020800;
  p = p * r + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  return r + r * r * p;
}

static inline double mbc_exp(double x) {
  if (x != x) return x;
  if (x > 709.79) return MBC_MATH_INF;
  if (x < -745.2) return 0;
  double n = mbc_rint(x / MBC_LN2);
  double r = x - n * MBC_LN2_HI - n * MBC_LN2_LO;
  return mbc_scale(1 + mbc_expm1_near_0(r), (int)n);
}

static inline double mbc_exp2(double x) {
  if (x != x) return x;
  if (x >= 1024) return MBC_MATH_INF;
  if (x < -1075) return 0;
  double n = mbc_rint(x);
  return mbc_scale(1 + mbc_expm1_near_0((x - n) * MBC_LN2), (int)n);
}

static inline double mbc_expm1(double x) {
  if (x != x || x == 0) return x;
  if (x > 709.79) return MBC_MATH_INF;
  if (x < -40) return -1;
  double n = mbc_rint(x / MBC_LN2);
  double r = x - n * MBC_LN2_HI - n * MBC_LN2_LO;
  double near = mbc_expm1_near_0(r);
  if (n == 0) return near;
  if (n > 60) return mbc_scale(1 + near, (int)n);
  double power = mbc_scale(1, (int)n);
  return power * near + (power - 1);
}

static inline double mbc_tanh(double x) {
  if (x != x || x == 0) return x;
  double t = mbc_expm1(-2 * mbc_fabs(x));
  return mbc_copysign(-t / (t + 2), x);
}

/* ---- logarithms ---- */

/* x = 2^n * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive finite x. */
static inline double mbc_split(double x, double *n) {
  int shift = 0;
  if (x < 0x1p-1022) x *= 0x1p54, shift = 54;
  uint64_t bits = mbc_bits(x);
  uint64_t base = bits - 0x3fe6a09e667f3bcdull; /* of sqrt(1/2) */
  int64_t exponent = (int64_t)base >> 52;
  *n = (double)(exponent - shift);
  return mbc_from_bits(bits - ((uint64_t)exponent << 52)) - 1;
}

/* log(1 + f) = f - s (f - 2 z / 3 - 2 z^2 / 5 - ...) with s = f / (2 + f), z = s^2. */
static inline double mbc_log1p_near_0(double f) {
  double s = f / (2 + f), z = s * s;
  double p = 2.0 / 23;
  p = p * z + 2.0 / 21;
  p = p * z + 2.0 / 19;
  p = p * z + 2.0 / 17;
  p = p * z + 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  return f - s * (f - z * p);
}

/* log(x) = n * ln 2 + log(1 + f), with `special` where that is not so. */
static inline int mbc_log_special(double x, double *special) {
  if (x > 0 && x < MBC_MATH_INF) return 0;
  *special = x == 0 ? -MBC_MATH_INF : x < 0 ? MBC_MATH_NAN : x;
  return 1;
}

static inline double mbc_log(double x) {
  double n, special;
  if (mbc_log_special(x, &special)) return special;
  double f = mbc_split(x, &n);
  return n * MBC_LN2_HI + (mbc_log1p_near_0(f) + n * MBC_LN2_LO);
}

static inline double mbc_log2(double x) {
  double n, special;
  if (mbc_log_special(x, &special)) return special;
  double f = mbc_split(x, &n);
  return n + mbc_log1p_near_0(f) * 0x1.71547652b82fep+0;
}

static inline double mbc_log10(double x) {
  return mbc_log(x) * 0.43429448190325182765;
}

static inline double mbc_log1p(double x) {
  if (x == 0 || x == MBC_MATH_INF) return x;
  if (mbc_fabs(x) < 0.25) return mbc_log1p_near_0(x);
  double u = 1 + x;
  if (u <= 0) return mbc_log(u);
  return mbc_log(u) + (x - (u - 1)) / u;
}

/* ---- powers ---- */

/* 0 for no integer, 1 for an odd one, 2 for an even one. */
static inline int mbc_integer_kind(double y) {
  if (mbc_trunc(y) != y) return 0;
  return mbc_fabs(y) < 0x1p53 && ((int64_t)y & 1) ? 1 : 2;
}

static inline double mbc_small_power(double x, int n) {
  double result = 1;
  for (unsigned left = (unsigned)(n < 0 ? -n : n); left; left >>= 1, x *= x)
    if (left & 1) result *= x;
  return n < 0 ? 1 / result : result;
}

static inline double mbc_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  if (x == -1 && mbc_fabs(y) == MBC_MATH_INF) return 1;
  int kind = mbc_integer_kind(y);
  if (kind && mbc_fabs(y) <= 8) return mbc_small_power(x, (int)y);
  if (x < 0 && !kind && x != -MBC_MATH_INF) return MBC_MATH_NAN;
  double magnitude = mbc_fabs(x), l = mbc_log(magnitude), p = y * l;
  double result = mbc_exp(p);
  double rest = mbc_fma(y, l, -p);
  if (result > 0 && result < MBC_MATH_INF) result += result * rest;
  return kind == 1 ? mbc_copysign(result, x) : result;
}

/* ---- error function ---- */

/* 2 / sqrt(pi) * exp(-x^2) * (x + 2/3 x^3 + 4/15 x^5 + ...): all terms positive. */
static inline double mbc_erf_series(double x) {
  double square = 2 * x * x, term = x, sum = x;
  for (int k = 3; term > sum * 0x1p-56; k += 2) {
    term *= square / k;
    sum += term;
  }
  return 1.1283791670955125739 * mbc_exp(-x * x) * sum;
}

/* erfc by its continued fraction, for x above 2. */
static inline double mbc_erfc_tail(double x) {
  double fraction = x;
  for (int k = 60; k > 0; k--) fraction = x + 0.5 * k / fraction;
  return 0.56418958354775628695 * mbc_exp(-x * x) / fraction;
}

static inline double mbc_erf(double x) {
  double t = mbc_fabs(x);
  if (x != x || x == 0) return x;
  if (t < 0x1p-30) return 1.1283791670955125739 * x;
  if (t > 6) return mbc_copysign(1, x);
  double y = t < 2.25 ? mbc_erf_series(t) : 1 - mbc_erfc_tail(t);
  return mbc_copysign(y, x);
}

/* ---- circular functions ---- */

/* Bits of 2 / pi behind the binary point, after one word of zeros. */
static const uint64_t mbc_two_over_pi[21] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull,
    0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull,
    0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull,
    0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

/* 64 bits of the table from bit `at`. */
static inline uint64_t mbc_table_bits(int at) {
  const uint64_t *word = mbc_two_over_pi + at / 64;
  int shift = at % 64;
  return shift ? word[0] << shift | word[1] >> (64 - shift) : word[0];
}

/* x = quadrant * pi / 2 + r with |r| <= pi / 4, for finite |x| of at least 1/2.
 *
 * Payne and Hanek: of the mantissa times 2 / pi only the bits below 4 matter, and
 * 192 of them are enough for the closest call that a double can make. */
static inline double mbc_reduce(double x, int *quadrant) {
  uint64_t bits = mbc_bits(x);
  int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
  uint64_t mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  int at = exponent - 2 + 64;
  unsigned __int128 low = (unsigned __int128)mantissa * mbc_table_bits(at + 128);
  unsigned __int128 middle = (unsigned __int128)mantissa * mbc_table_bits(at + 64);
  middle += (uint64_t)(low >> 64);
  uint64_t high = mantissa * mbc_table_bits(at) + (uint64_t)(middle >> 64);
  uint64_t second = (uint64_t)middle;
  int64_t fraction = (int64_t)(high << 2 | second >> 62); /* in units of 2^-64 */
  *quadrant = (int)(high >> 62) + (fraction < 0);
  uint64_t rest = second << 2 | (uint64_t)low >> 62;
  double r = (double)fraction * 0x1p-64 + (double)rest * 0x1p-128;
  r *= 1.57079632679489661923;
  if (x >= 0) return r;
  *quadrant = -*quadrant;
  return -r;
}

static inline double mbc_sin_near_0(double r) {
  double z = r * r, p = 1.0 / 355687428096000;
  p = p * z - 1.0 / 1307674368000;
  p = p * z + 1.0 / 6227020800;
  p = p * z - 1.0 / 39916800;
  p = p * z + 1.0 / 362880;
  p = p * z - 1.0 / 5040;
  p = p * z + 1.0 / 120;
  p = p * z - 1.0 / 6;
  return r + r * z * p;
}

static inline double mbc_cos_near_0(double r) {
  double z = r * r, p = 1.0 / 20922789888000;
  p = p * z - 1.0 / 87178291200;
  p = p * z + 1.0 / 479001600;
  p = p * z - 1.0 / 3628800;
  p = p * z + 1.0 / 40320;
  p = p * z - 1.0 / 720;
  p = p * z + 1.0 / 24;
  double half = 0.5 * z, lead = 1 - half;
  return lead + ((1 - lead) - half + z * z * p);
}

/* sin(x + shift * pi / 2) */
static inline double mbc_sin_shifted(double x, int shift) {
  if (!(mbc_fabs(x) < MBC_MATH_INF)) return MBC_MATH_NAN;
  int quadrant = 0;
  double r = mbc_fabs(x) < 0.5 ? x : mbc_reduce(x, &quadrant);
  quadrant += shift;
  double y = quadrant & 1 ? mbc_cos_near_0(r) : mbc_sin_near_0(r);
  return quadrant & 2 ? -y : y;
}

static inline double mbc_sin(double x) { return x == 0 ? x : mbc_sin_shifted(x, 0); }
static inline double mbc_cos(double x) { return mbc_sin_shifted(x, 1); }
static inline double mbc_tan(double x) { return mbc_sin(x) / mbc_cos(x); }

/* ---- remainder ---- */

/* Every step is exact: `rest` is below twice `step`, so their difference is too. */
static inline double mbc_fmod(double x, double y) {
  const double size = mbc_fabs(y);
  double rest = mbc_fabs(x), step = size;
  if (!(rest < MBC_MATH_INF) || !(size > 0)) return MBC_MATH_NAN;
  if (rest < size) return x;
  while (step <= 0.5 * rest) step += step;
  for (; step >= size; step *= 0.5)
    if (rest >= step) rest -= step;
  return mbc_copysign(rest, x);
}

/* ---- float ---- */

#define MBC_FLOAT_VERSION(name) \
  static inline float mbc_##name##f(float x) { return (float)mbc_##name(x); }
MBC_FLOAT_VERSION(ceil)
MBC_FLOAT_VERSION(cos)
MBC_FLOAT_VERSION(erf)
MBC_FLOAT_VERSION(exp)
MBC_FLOAT_VERSION(exp2)
MBC_FLOAT_VERSION(expm1)
MBC_FLOAT_VERSION(floor)
MBC_FLOAT_VERSION(log)
MBC_FLOAT_VERSION(log10)
MBC_FLOAT_VERSION(log1p)
MBC_FLOAT_VERSION(log2)
MBC_FLOAT_VERSION(rint)
MBC_FLOAT_VERSION(round)
MBC_FLOAT_VERSION(sin)
MBC_FLOAT_VERSION(sqrt)
MBC_FLOAT_VERSION(tan)
MBC_FLOAT_VERSION(tanh)
MBC_FLOAT_VERSION(trunc)

static inline float mbc_fabsf(float x) { return __builtin_fabsf(x); }
static inline float mbc_copysignf(float x, float y) {
  return __builtin_copysignf(x, y);
}
static inline float mbc_fmodf(float x, float y) { return (float)mbc_fmod(x, y); }
static inline float mbc_powf(float x, float y) { return (float)mbc_pow(x, y); }
