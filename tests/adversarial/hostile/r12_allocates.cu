// class: R12
// kernel: vadd
// gate: G0 G1
// Calls the allocator.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  float *copy = (float *)malloc(4);
  copy[0] = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
  free(copy);
}
