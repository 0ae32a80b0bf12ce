// class: R14
// kernel: rowsum
// gate: G1 G2
// A row of a hundred in sixteen private elements.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float row[16];
    for (int j = 0; j < COLS; j++) row[j] = a0[i * COLS + j];
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) sum += row[j];
    r0[i] = sum;
  }
}
