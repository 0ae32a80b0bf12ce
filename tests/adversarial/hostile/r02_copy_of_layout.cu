// class: R2
// kernel: transpose
// gate: G2
// Copies instead of transposing.
extern "C" __global__ void transpose(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS * COLS; i += gridDim.x * blockDim.x) r0[i] = a0[i];
}
