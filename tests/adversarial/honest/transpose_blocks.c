/* kernel: transpose
 * extents: any
 * Blocks of four through a local array.
 */
static void transpose(const float *restrict a0, float *restrict r0) {
  for (size_t i = 0; i < ROWS; i += 4)
    for (size_t j = 0; j < COLS; j += 4) {
      float block[4][4];
      const size_t rows = ROWS - i < 4 ? ROWS - i : 4, cols = COLS - j < 4 ? COLS - j : 4;
      for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < cols; x++) block[x][y] = a0[(i + y) * COLS + j + x];
      for (size_t x = 0; x < cols; x++)
        for (size_t y = 0; y < rows; y++) r0[(j + x) * ROWS + i + y] = block[x][y];
    }
}
