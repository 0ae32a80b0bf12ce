// class: R6
// kernel: vadd
// gate: G0 G1
// The work goes to a launch of its own.
extern "C" __global__ void child(const float *a0, const float *a1, float *r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}

extern "C" __global__ void vadd(const float *a0, const float *a1, float *r0) {
  if (threadIdx.x == 0) child<<<1, 256>>>(a0, a1, r0);
}
