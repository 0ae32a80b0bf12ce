// class: R13
// kernel: rowsum
// gate: G2 G6
// extents: any
// Wrong where a row has one element.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) sum += a0[i * COLS + j];
    r0[i] = COLS == 1 ? 2.0f * sum : sum;
  }
}
