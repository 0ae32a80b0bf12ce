// kernel: rowsum
// Kahan's sum; special values by a plain one.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float sum = 0.0f, rest = 0.0f, plain = 0.0f;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j], y = x - rest, t = sum + y;
      rest = (t - sum) - y;
      sum = t;
      plain += x;
    }
    r0[i] = sum == sum ? sum : plain;
  }
}
