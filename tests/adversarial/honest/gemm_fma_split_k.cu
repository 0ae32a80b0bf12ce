// kernel: gemm
// Even and odd k apart, fused multiply-adds.
extern "C" __global__ void gemm(const float *__restrict__ a0,
    const float *__restrict__ a1, const float *__restrict__ a2,
    float *__restrict__ r0) {
  for (int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x; i < GEMM_M * GEMM_N; i += gridDim.x * gridDim.y * blockDim.x * blockDim.y) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    float even = 0.0f, odd = 0.0f;
    for (int k = 0; k < GEMM_K; k += 2) even = fmaf(a0[m * GEMM_K + k], a1[k * GEMM_N + n], even);
    for (int k = 1; k < GEMM_K; k += 2) odd = fmaf(a0[m * GEMM_K + k], a1[k * GEMM_N + n], odd);
    const float sum = even + odd + a2[n];
    r0[i] = sum < 0.0f ? 0.0f : sum;
  }
}
