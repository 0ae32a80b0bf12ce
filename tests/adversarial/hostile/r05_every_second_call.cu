// class: R5
// kernel: vadd
// gate: G0 G1 G2
// Leaves every second call to the one before it.
static __device__ int turn = 1;

extern "C" __global__ void vadd(const float *a0, const float *a1, float *r0) {
  if (blockIdx.x * blockDim.x + threadIdx.x == 0) turn = -turn;
  if (turn > 0) return;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] + a1[i];
}
