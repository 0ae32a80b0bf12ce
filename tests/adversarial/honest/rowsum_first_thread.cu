// kernel: rowsum
// One thread sums, another stores: look-alike of r14_uninitialised_shared.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  __shared__ float total;
  for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
    if (threadIdx.x == 0) {
      total = 0.0f;
      for (int j = 0; j < COLS; j++) total += a0[row * COLS + j];
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) r0[row] = total;
    __syncthreads();
  }
}
