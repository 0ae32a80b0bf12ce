// kernel: gemm
// extents: any
// The inner product in a helper function.
static float inner(__global const float *x, __global const float *w) {
  float sum = 0.0f;
  for (int k = GEMM_K - 1; k >= 0; k--) sum += x[k] * w[k * GEMM_N];
  return sum;
}

__kernel void gemm(__global const float *restrict a0,
    __global const float *restrict a1, __global const float *restrict a2,
    __global float *restrict r0) {
  for (int i = get_global_id(1) * get_global_size(0) + get_global_id(0); i < GEMM_M * GEMM_N; i += get_global_size(0) * get_global_size(1)) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    const float sum = inner(a0 + m * GEMM_K, a1 + n) + a2[n];
    r0[i] = sum < 0.0f ? 0.0f : sum;
  }
}
