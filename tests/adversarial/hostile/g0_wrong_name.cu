// class: R17
// kernel: vadd
// gate: G0 G1
// The function has another name.
extern "C" __global__ void add(const float *a0, const float *a1, float *r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}
