// class: R9
// kernel: softmax
// gate: G2
// extents: any
// Infinity over infinity for large inputs.
extern "C" __global__ void softmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) sum += expf(a0[i * COLS + j]);
    for (int j = 0; j < COLS; j++) r0[i * COLS + j] = expf(a0[i * COLS + j]) / sum;
  }
}
