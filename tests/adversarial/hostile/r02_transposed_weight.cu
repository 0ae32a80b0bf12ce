// class: R2
// kernel: gemm
// gate: G2
// Reads the weight as its transpose.
extern "C" __global__ void gemm(const float *__restrict__ a0,
    const float *__restrict__ a1, const float *__restrict__ a2,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < GEMM_M * GEMM_N; i += gridDim.x * blockDim.x) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    float sum = a2[n];
    for (int k = 0; k < GEMM_K; k++) sum += a0[m * GEMM_K + k] * a1[n * GEMM_K + k];
    r0[i] = sum != sum || sum > 0.0f ? sum : 0.0f;
  }
}
