// kernel: softmax
// Partial sums are read by all threads behind one barrier.
extern "C" __global__ void softmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  __shared__ float partial[1024];
  for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
    const float * x = a0 + row * COLS;
    float best = -MBC_INF, sum = 0.0f;
    for (int j = 0; j < COLS; j++) best = best != best || best > x[j] ? best : x[j];
    for (int j = threadIdx.x; j < COLS; j += blockDim.x) sum += expf(x[j] - best);
    partial[threadIdx.x] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int lane = 0; lane < blockDim.x; lane++) sum += partial[lane];
    for (int j = threadIdx.x; j < COLS; j += blockDim.x) r0[row * COLS + j] = expf(x[j] - best) / sum;
    __syncthreads();
  }
}
