// kernel: vsub
// A difference as one fused multiply-add.
extern "C" __global__ void vsub(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = fmaf(-1.0f, a1[i], a0[i]);
}
