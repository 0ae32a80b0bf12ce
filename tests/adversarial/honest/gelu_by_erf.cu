// kernel: gelu
// extents: any
// Contracted: look-alike of r11_gelu_by_tanh.
extern "C" __global__ void gelu(const float *__restrict__ a0, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
    const float x = a0[i];
    r0[i] = fmaf(0.5f * x, erff(x * 0.70710678f), 0.5f * x);
  }
}
