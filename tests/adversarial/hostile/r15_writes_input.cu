// class: R15
// kernel: vadd
// gate: G2
// Uses an input as its scratch memory.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  float * scratch = (float *)a0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
    scratch[i] += a1[i];
    r0[i] = scratch[i];
  }
}
