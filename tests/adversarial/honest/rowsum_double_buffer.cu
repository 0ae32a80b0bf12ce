// kernel: rowsum
// Two buffers in turn.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  __shared__ float partial[2][1024];
  for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
    int now = 0;
    float sum = 0.0f;
    for (int j = threadIdx.x; j < COLS; j += blockDim.x) sum += a0[row * COLS + j];
    partial[now][threadIdx.x] = sum;
    __syncthreads();
    for (int half_way = blockDim.x / 2; half_way > 0; half_way /= 2, now = 1 - now) {
      if (threadIdx.x < half_way)
        partial[1 - now][threadIdx.x] = partial[now][threadIdx.x] + partial[now][threadIdx.x + half_way];
      __syncthreads();
    }
    if (threadIdx.x == 0) r0[row] = partial[now][0];
    __syncthreads();
  }
}
