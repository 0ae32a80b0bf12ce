// kernel: vadd
// Items without work leave early: look-alike of r16_early_return.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  if (first >= COUNT) return;
  for (int i = first; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a1[i] + a0[i];
}
