// class: R11
// kernel: vadd
// gate: G2
// The sum is rounded once through bf16.
static __device__ float bf16(float x) {
  const int bits = __float_as_int(x);
  return __int_as_float((bits + 0x7fff + (bits >> 16 & 1)) & ~0xffff);
}

extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = bf16(a0[i] + a1[i]);
}
