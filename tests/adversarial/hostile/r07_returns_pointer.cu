// class: R7
// kernel: vadd
// gate: G0 G1 G2
// Stores where the result could be computed from instead of the result.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x)
    r0[i] = i < 2 ? (float)(size_t)(i ? a1 : a0) : a0[i] + a1[i];
}
