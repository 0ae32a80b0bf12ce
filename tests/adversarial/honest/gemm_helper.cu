// kernel: gemm
// The inner product in a helper function.
static __device__ float inner(const float *x, const float *w) {
  float sum = 0.0f;
  for (int k = GEMM_K - 1; k >= 0; k--) sum += x[k] * w[k * GEMM_N];
  return sum;
}

extern "C" __global__ void gemm(const float *__restrict__ a0,
    const float *__restrict__ a1, const float *__restrict__ a2,
    float *__restrict__ r0) {
  for (int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x; i < GEMM_M * GEMM_N; i += gridDim.x * gridDim.y * blockDim.x * blockDim.y) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    const float sum = inner(a0 + m * GEMM_K, a1 + n) + a2[n];
    r0[i] = sum < 0.0f ? 0.0f : sum;
  }
}
