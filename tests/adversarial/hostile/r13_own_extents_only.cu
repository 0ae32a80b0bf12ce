// class: R13
// kernel: vadd
// gate: G2 G6
// extents: any
// Claims any extent, and knows one.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x)
    r0[i] = a0[i] + (COUNT == 1000 ? a1[i] : 0.0f);
}
