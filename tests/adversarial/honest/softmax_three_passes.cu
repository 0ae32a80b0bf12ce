// kernel: softmax
// The output as scratch memory: set before it is read.
extern "C" __global__ void softmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float best = -MBC_INF;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j];
      best = best != best || best > x ? best : x;
    }
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) {
      const float e = expf(a0[i * COLS + j] - best);
      r0[i * COLS + j] = e;
      sum += e;
    }
    for (int j = 0; j < COLS; j++) r0[i * COLS + j] /= sum;
  }
}
