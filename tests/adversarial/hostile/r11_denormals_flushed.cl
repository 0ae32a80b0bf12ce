// class: R11
// kernel: vadd
// gate: G2
// Denormal numbers become zero.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    const float sum = a0[i] + a1[i];
    r0[i] = fabs(sum) < 0x1p-126f ? 0.0f : sum;
  }
}
