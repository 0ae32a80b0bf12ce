// class: R9
// kernel: rowmax
// gate: G2
// fmax drops NaN, arith.maximumf keeps it.
extern "C" __global__ void rowmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float best = -MBC_INF;
    for (int j = 0; j < COLS; j++) best = fmaxf(best, a0[i * COLS + j]);
    r0[i] = best;
  }
}
