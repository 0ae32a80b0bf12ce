// class: R14
// kernel: vadd
// gate: G2
// Writes a terabyte behind its output.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
  if (blockIdx.x * blockDim.x + threadIdx.x == 0) r0[COUNT + (1l << 38)] = 1.0f;
}
