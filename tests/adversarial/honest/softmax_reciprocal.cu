// kernel: softmax
// Exponentials computed twice, one division for a row.
extern "C" __global__ void softmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float best = -MBC_INF;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j];
      best = best != best || best > x ? best : x;
    }
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) sum += expf(a0[i * COLS + j] - best);
    const float scale = 1.0f / sum;
    for (int j = 0; j < COLS; j++) r0[i * COLS + j] = expf(a0[i * COLS + j] - best) * scale;
  }
}
