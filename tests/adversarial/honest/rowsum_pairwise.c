/* kernel: rowsum
 * extents: any
 * A tree of sums on a stack of partial ones.
 */
static void rowsum(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i++) {
    float partial[40];
    int depth = 0;
    for (size_t j = 0; j < COLS; j++) {
      partial[depth++] = a0[i * COLS + j];
      for (size_t n = j + 1; n % 2 == 0; n /= 2) {
        partial[depth - 2] += partial[depth - 1];
        depth--;
      }
    }
    float sum = 0.0f;
    while (depth) sum += partial[--depth];
    r0[i] = sum;
  }
}
