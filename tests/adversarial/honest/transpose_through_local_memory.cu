// kernel: transpose
// extents: any
// Tiles with a padded row.
extern "C" __global__ void transpose(const float *__restrict__ a0,
    float *__restrict__ r0) {
  __shared__ float tile[8][9];
  for (int block = blockIdx.x; block < (ROWS + 7) / 8 * ((COLS + 7) / 8); block += gridDim.x) {
    const int y = block / ((COLS + 7) / 8) * 8, x = block % ((COLS + 7) / 8) * 8;
    for (int at = threadIdx.x; at < 64; at += blockDim.x)
      if (y + at / 8 < ROWS && x + at % 8 < COLS)
        tile[at / 8][at % 8] = a0[(y + at / 8) * COLS + x + at % 8];
    __syncthreads();
    for (int at = threadIdx.x; at < 64; at += blockDim.x)
      if (y + at % 8 < ROWS && x + at / 8 < COLS)
        r0[(x + at / 8) * ROWS + y + at % 8] = tile[at % 8][at / 8];
    __syncthreads();
  }
}
