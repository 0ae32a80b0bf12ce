// kernel: vadd
// extents: any
// Two elements per step and a guarded second one: look-alike of r14_neighbours_tile.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x); i < COUNT; i += 2 * gridDim.x * blockDim.x) {
    r0[i] = a0[i] + a1[i];
    if (i + 1 < COUNT) r0[i + 1] = a0[i + 1] + a1[i + 1];
  }
}
