// class: R14
// kernel: vadd
// gate: G2
// Writes into the element of the next work item: who is last wins.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
    r0[i] = a0[i] + a1[i];
    if (i + 1 < COUNT) r0[i + 1] = a0[i + 1];
  }
}
