// class: R9
// kernel: relu
// gate: G2
// A comparison that makes NaN a zero.
extern "C" __global__ void relu(const float *__restrict__ a0, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = fmaxf(a0[i], 0.0f);
}
