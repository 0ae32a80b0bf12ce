// class: R17
// kernel: vadd
// gate: G0 G1
// One parameter too few.
extern "C" __global__ void vadd(const float *a0, float *r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i];
}
