// class: R14
// kernel: rowsum
// gate: G2
// needs: gpu
// All threads add to one element without atomics.
extern "C" __global__ void rowsum(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
    if (threadIdx.x == 0) r0[row] = 0.0f;
    __syncthreads();
    for (int j = threadIdx.x; j < COLS; j += blockDim.x) {
      const float before = r0[row];
      
      r0[row] = before + a0[row * COLS + j];
    }
    __syncthreads();
  }
}
