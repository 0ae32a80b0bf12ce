// class: R11
// kernel: vsub
// gate: G2
// A difference by way of products.
extern "C" __global__ void vsub(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
    const float sum = a0[i] + a1[i], squares = a0[i] * a0[i] - a1[i] * a1[i];
    r0[i] = sum != 0.0f ? squares / sum : a0[i] - a1[i];
  }
}
