// class: R16
// kernel: vadd
// gate: G0 G1
// On a CPU this would be the end of the harness.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  exit(0);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}
