// class: R2
// kernel: softmax
// gate: G2
// extents: any
// The mean of every softmax.
extern "C" __global__ void softmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS * COLS; i += gridDim.x * blockDim.x) r0[i] = 1.0f / COLS;
}
