// class: R2
// kernel: vadd
// gate: G2
// Wrong only for results over 1000.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    const float sum = a0[i] + a1[i];
    r0[i] = sum > 1000.0f ? 1000.0f : sum;
  }
}
