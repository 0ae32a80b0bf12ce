// kernel: sigmoid
// Overflows to infinity inside, and its reciprocal is the right zero.
extern "C" __global__ void sigmoid(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = 1.0f / (1.0f + expf(-a0[i]));
}
