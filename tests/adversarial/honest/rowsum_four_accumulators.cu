// kernel: rowsum
// Four accumulators: look-alike of a dropped tail.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int j = 0; j < COLS; j++) sums[j % 4] += a0[i * COLS + j];
    r0[i] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }
}
