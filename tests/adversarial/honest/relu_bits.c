/* kernel: relu
 * extents: any
 * By the sign bit, and NaN of any sign is kept.
 */
static void relu(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < COUNT; i++) {
    int32_t bits = mbc_bitcast_f32_i32(a0[i]);
    int is_nan = (bits & 0x7fffffff) > 0x7f800000;
    r0[i] = mbc_bitcast_i32_f32(is_nan ? bits : bits & ~(bits >> 31));
  }
}
