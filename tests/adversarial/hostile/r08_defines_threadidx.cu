// class: R8
// kernel: vadd
// gate: G0 G1 G2
// Replaces what a word of the language means.
#define __syncthreads() mbc_run(0, 0)
extern "C" __global__ void vadd(const float *a0, const float *a1, float *r0) {
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}
