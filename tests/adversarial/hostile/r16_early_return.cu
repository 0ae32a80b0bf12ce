// class: R16
// kernel: vadd
// gate: G2
// Ends with success before it began.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  if (COUNT > 0) return;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}
