// class: R2
// kernel: vadd
// gate: G2
// extents: any
// Every element belongs one place to the left.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
    const int from = i == 0 ? COUNT - 1 : i - 1;
    r0[i] = a0[from] + a1[from];
  }
}
