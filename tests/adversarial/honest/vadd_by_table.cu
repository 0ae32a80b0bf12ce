// kernel: vadd
// A constant table: look-alike of state between calls.
static __device__ const int order[4] = {2, 0, 3, 1};

extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x); i < COUNT; i += 4 * gridDim.x * blockDim.x)
    for (int lane = 0; lane < 4; lane++) {
      const int at = i + order[lane];
      if (at < COUNT) r0[at] = a0[at] + a1[at];
    }
}
