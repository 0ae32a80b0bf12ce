// class: R11
// kernel: gemm
// gate: G2
// Operands rounded to f16, sums in f32.
static float rounded(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (__private half *)&bits);
  return vload_half(0, (__private half *)&bits);
}

__kernel void gemm(__global const float *restrict a0,
    __global const float *restrict a1, __global const float *restrict a2,
    __global float *restrict r0) {
  for (int i = get_global_id(0); i < GEMM_M * GEMM_N; i += get_global_size(0)) {
    const int m = i / GEMM_N, n = i % GEMM_N;
    float sum = a2[n];
    for (int k = 0; k < GEMM_K; k++) sum += rounded(a0[m * GEMM_K + k]) * rounded(a1[k * GEMM_N + n]);
    r0[i] = sum != sum || sum > 0.0f ? sum : 0.0f;
  }
}
