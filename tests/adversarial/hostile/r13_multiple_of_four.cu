// class: R13
// kernel: vadd
// gate: G2 G6
// extents: any
// The tail after the last whole group of four is left out.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT / 4 * 4; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}
