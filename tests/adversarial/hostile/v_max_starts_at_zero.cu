// class: R2
// kernel: rowmax
// gate: G2
// Wrong for rows without a positive element, and forgets a NaN.
extern "C" __global__ void rowmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float best = 0.0f;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j];
      best = x != x || x > best ? x : best;
    }
    r0[i] = best;
  }
}
