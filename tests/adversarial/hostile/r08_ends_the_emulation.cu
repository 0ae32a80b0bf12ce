// class: R8
// kernel: vadd
// gate: G0 G1 G2
// Uses the inside of what runs it.
extern "C" __global__ void vadd(const float *a0, const float *a1, float *r0) {
#ifdef WARP
  emulated::now->state = emulated::DONE;
#endif
  emulated::now->lane = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}
