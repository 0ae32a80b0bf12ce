// class: R2
// kernel: rowsum
// gate: G2
// The right numbers in the wrong rows.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) sum += a0[i * COLS + j];
    r0[ROWS - 1 - i] = sum;
  }
}
