// kernel: rowsum
// extents: any
// Warps by shuffles, then the block through shared memory.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  __shared__ float partial[32];
  for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
    float sum = 0.0f;
    for (int j = threadIdx.x; j < COLS; j += blockDim.x) sum += a0[row * COLS + j];
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int warp = 1; warp < (int)blockDim.x / 32; warp++) sum += partial[warp];
      r0[row] = sum;
    }
    __syncthreads();
  }
}
