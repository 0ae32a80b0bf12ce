// class: R2
// kernel: vsub
// gate: G2
// Parameters in the other order.
extern "C" __global__ void vsub(const float *__restrict__ a1,
    const float *__restrict__ a0, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] - a1[i];
}
