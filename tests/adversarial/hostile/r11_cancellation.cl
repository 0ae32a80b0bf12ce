// class: R11
// kernel: vsub
// gate: G2
// A difference by way of products.
__kernel void vsub(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    const float sum = a0[i] + a1[i], squares = a0[i] * a0[i] - a1[i] * a1[i];
    r0[i] = sum != 0.0f ? squares / sum : a0[i] - a1[i];
  }
}
