// class: R14
// kernel: vadd
// gate: G2
// One element in front of the start is read.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
  if (blockIdx.x * blockDim.x + threadIdx.x == 0 && ((volatile const float *)a1)[-1] == 12345.0f) r0[0] = 0.0f;
}
