// class: R14
// kernel: rowsum
// gate: G2
// The accumulator in shared memory never gets a first value.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  __shared__ float total;
  for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
    if (threadIdx.x == 0)
      for (int j = 0; j < COLS; j++) total += a0[row * COLS + j];
    __syncthreads();
    if (threadIdx.x == 0) r0[row] = total;
    __syncthreads();
  }
}
