// kernel: rowsum
// extents: any
// A tree with its barriers: look-alike of r14_missing_barrier.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  __shared__ float partial[1024];
  for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
    float sum = 0.0f;
    for (int j = threadIdx.x; j < COLS; j += blockDim.x) sum += a0[row * COLS + j];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half_way = blockDim.x / 2; half_way > 0; half_way /= 2) {
      if (threadIdx.x < half_way) partial[threadIdx.x] += partial[threadIdx.x + half_way];
      __syncthreads();
    }
    if (threadIdx.x == 0) r0[row] = partial[0];
    __syncthreads();
  }
}
