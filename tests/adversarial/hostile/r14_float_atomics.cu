// class: R14
// kernel: rowsum
// gate: G0 G1 G2
// Sums in the order in which threads come: not the same twice, and not declared.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
    if (threadIdx.x == 0) r0[row] = 0.0f;
    __syncthreads();
    for (int j = threadIdx.x; j < COLS; j += blockDim.x) atomicAdd(r0 + row, a0[row * COLS + j]);
  }
}
