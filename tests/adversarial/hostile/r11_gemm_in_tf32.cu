// class: R11
// kernel: gemm
// gate: G2
// Operands cut to the 10 bits of tf32.
static __device__ float tf32(float x) {
  return __int_as_float((__float_as_int(x) + 0x1000) & ~0x1fff);
}

extern "C" __global__ void gemm(const float *__restrict__ a0,
    const float *__restrict__ a1, const float *__restrict__ a2,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < GEMM_M * GEMM_N; i += gridDim.x * blockDim.x) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    float sum = a2[n];
    for (int k = 0; k < GEMM_K; k++) sum += tf32(a0[m * GEMM_K + k]) * tf32(a1[k * GEMM_N + n]);
    r0[i] = sum != sum || sum > 0.0f ? sum : 0.0f;
  }
}
