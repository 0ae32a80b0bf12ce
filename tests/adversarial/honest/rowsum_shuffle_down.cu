// kernel: rowsum
// A warp per row; only lane 0 has the sum.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  for (int row = warp; row < ROWS; row += gridDim.x * blockDim.x / 32) {
    float sum = 0.0f;
    for (int j = lane; j < COLS; j += 32) sum += a0[row * COLS + j];
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) r0[row] = sum;
  }
}
