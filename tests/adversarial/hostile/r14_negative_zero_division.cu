// class: R14
// kernel: vadd
// gate: G2
// Integer division by zero.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  volatile int zero = 0;
  const int q = 5 / zero;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i] + q;
}
