// kernel: gemm
// extents: any
// One accumulator that starts at the bias.
__kernel void gemm(__global const float *restrict a0,
    __global const float *restrict a1, __global const float *restrict a2,
    __global float *restrict r0) {
  for (int i = get_global_id(1) * get_global_size(0) + get_global_id(0); i < GEMM_M * GEMM_N; i += get_global_size(0) * get_global_size(1)) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    float sum = a2[n];
    for (int k = 0; k < GEMM_K; k++) sum += a0[m * GEMM_K + k] * a1[k * GEMM_N + n];
    r0[i] = sum < 0.0f ? 0.0f : sum;
  }
}
