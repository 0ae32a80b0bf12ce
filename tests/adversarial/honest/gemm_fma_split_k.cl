// kernel: gemm
// extents: any
// options: style=gpu
// Even and odd k apart, fused multiply-adds.
__kernel void gemm(__global const float *restrict a0,
    __global const float *restrict a1, __global const float *restrict a2,
    __global float *restrict r0) {
  for (int i = get_global_id(1) * get_global_size(0) + get_global_id(0); i < GEMM_M * GEMM_N; i += get_global_size(0) * get_global_size(1)) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    float even = 0.0f, odd = 0.0f;
    for (int k = 0; k < GEMM_K; k += 2) even = fma(a0[m * GEMM_K + k], a1[k * GEMM_N + n], even);
    for (int k = 1; k < GEMM_K; k += 2) odd = fma(a0[m * GEMM_K + k], a1[k * GEMM_N + n], odd);
    const float sum = even + odd + a2[n];
    r0[i] = sum < 0.0f ? 0.0f : sum;
  }
}
