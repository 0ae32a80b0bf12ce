// kernel: rowsum
// From right to left.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (int j = COLS - 1; j >= 0; j--) sum += a0[i * COLS + j];
    r0[i] = sum;
  }
}
