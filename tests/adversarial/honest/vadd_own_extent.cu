// kernel: vadd
// Knows its extent as a number, and claims no other.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 1000; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}
