// kernel: softmax
// extents: any
// One pass keeps the maximum and rescales the sum.
extern "C" __global__ void softmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float best = a0[i * COLS], sum = 1.0f;
    for (int j = 1; j < COLS; j++) {
      const float x = a0[i * COLS + j], next = best != best || best > x ? best : x;
      sum = sum * expf(best - next) + expf(x - next);
      best = next;
    }
    for (int j = 0; j < COLS; j++) r0[i * COLS + j] = expf(a0[i * COLS + j] - best) / sum;
  }
}
