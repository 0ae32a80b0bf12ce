// class: R11
// kernel: vadd
// gate: G2
// Denormal numbers become zero.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
    const float sum = a0[i] + a1[i];
    r0[i] = fabsf(sum) < 0x1p-126f ? 0.0f : sum;
  }
}
