// class: R11
// kernel: gelu
// gate: G2
// The tanh approximation, good to three digits.
#define TANH tanhf

extern "C" __global__ void gelu(const float *__restrict__ a0, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
    const float x = a0[i];
    r0[i] = 0.5f * x * (1.0f + TANH(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}
