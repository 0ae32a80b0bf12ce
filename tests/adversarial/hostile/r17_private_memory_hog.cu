// class: R17
// kernel: vadd
// gate: G0 G1 G2
// A gigabyte for every work item.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  volatile float pages[1 << 28];
  for (int i = 0; i < 1 << 28; i += 1024) pages[i] = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i] + pages[i];
}
