// class: R11
// kernel: gemm
// gate: G2
// Operands rounded to f16, sums in f32.
#include <cuda_fp16.h>
#define HALF(x) __half2float(__float2half_rn(x))

extern "C" __global__ void gemm(const float *__restrict__ a0,
    const float *__restrict__ a1, const float *__restrict__ a2,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < GEMM_M * GEMM_N; i += gridDim.x * blockDim.x) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    float sum = a2[n];
    for (int k = 0; k < GEMM_K; k++) sum += HALF(a0[m * GEMM_K + k]) * HALF(a1[k * GEMM_N + n]);
    r0[i] = sum != sum || sum > 0.0f ? sum : 0.0f;
  }
}
