/* kernel: transpose
 * extents: any
 * Elements move by memcpy, which kernels may call.
 */
static void transpose(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < COLS; j++)
      __builtin_memcpy(r0 + j * ROWS + i, a0 + i * COLS + j, sizeof(float));
}
