/* Arcs and hyperbolic functions for freestanding targets; needs scalar_math.h.
 *
 * Errors are below 4 ulp of double; the float versions are correctly rounded but for
 * rare ties. NaN, infinities and signed zeros are treated as in C's Annex F.
 */

#define MBC_PI 0x1.921fb54442d18p+1
#define MBC_PI_REST 0x1.1a62633145c07p-53

/* arctan t = 2 arctan(t / (1 + sqrt(1 + t^2))), twice: then the series of |t| < 0.2. */
static inline double mbc_atan_below_1(double t) {
  for (int k = 0; k < 2; k++) t = t / (1 + mbc_sqrt(1 + t * t));
  double z = t * t, p = 0;
  for (int k = 27; k > 1; k -= 2) p = z * (1.0 / k - p);
  return 4 * (t - t * p);
}

static inline double mbc_atan2(double y, double x) {
  double up = mbc_fabs(y), along = mbc_fabs(x), small = up < along ? up : along;
  if (x != x || y != y) return x + y;
  double t = small / (up < along ? along : up);
  if (up == along) t = up > 0;
  double angle = t < 0x1p-27 ? t : mbc_atan_below_1(t);
  if (up > along) angle = 0.5 * MBC_PI - (angle - 0.5 * MBC_PI_REST);
  if (mbc_bits(x) >> 63) angle = MBC_PI - (angle - MBC_PI_REST);
  return mbc_copysign(angle, y);
}

static inline double mbc_atan(double x) { return mbc_atan2(x, 1); }
static inline double mbc_asin(double x) {
  return mbc_atan2(x, mbc_sqrt((1 - x) * (1 + x)));
}
static inline double mbc_acos(double x) {
  return mbc_atan2(mbc_sqrt((1 - x) * (1 + x)), x);
}

static inline double mbc_sinh(double x) {
  double size = mbc_fabs(x), half = mbc_exp(0.5 * size), e = mbc_expm1(size);
  if (x != x || x == 0) return x;
  double y = size > 22 ? 0.5 * half * half : 0.5 * (e + e / (e + 1));
  return mbc_copysign(y, x);
}

static inline double mbc_cosh(double x) {
  double half = mbc_exp(0.5 * mbc_fabs(x)), e = half * half;
  return mbc_fabs(x) > 22 ? 0.5 * half * half : 0.5 * (e + 1 / e);
}

static inline double mbc_asinh(double x) {
  double size = mbc_fabs(x), square = x * x;
  if (x != x || x == 0 || size == MBC_MATH_INF) return x;
  double y = size > 0x1p28 ? mbc_log(size) + MBC_LN2
                           : mbc_log1p(size + square / (1 + mbc_sqrt(1 + square)));
  return mbc_copysign(y, x);
}

static inline double mbc_acosh(double x) {
  double t = x - 1;
  if (!(x >= 1)) return MBC_MATH_NAN;
  return x > 0x1p28 ? mbc_log(x) + MBC_LN2 : mbc_log1p(t + mbc_sqrt(t * (x + 1)));
}

static inline double mbc_atanh(double x) {
  double size = mbc_fabs(x);
  if (x == 0 || !(size <= 1)) return x == 0 ? x : MBC_MATH_NAN;
  return mbc_copysign(0.5 * mbc_log1p(2 * size / (1 - size)), x);
}

MBC_FLOAT_VERSION(acos)
MBC_FLOAT_VERSION(acosh)
MBC_FLOAT_VERSION(asin)
MBC_FLOAT_VERSION(asinh)
MBC_FLOAT_VERSION(atan)
MBC_FLOAT_VERSION(atanh)
MBC_FLOAT_VERSION(cosh)
MBC_FLOAT_VERSION(sinh)

static inline float mbc_atan2f(float y, float x) { return (float)mbc_atan2(y, x); }
