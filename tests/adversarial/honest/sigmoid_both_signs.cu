// kernel: sigmoid
// e^-|x| never overflows; both signs from one quotient.
extern "C" __global__ void sigmoid(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
    const float e = expf(-fabsf(a0[i])), q = 1.0f / (1.0f + e);
    r0[i] = a0[i] < 0.0f ? e * q : q;
  }
}
