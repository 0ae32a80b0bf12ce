// class: R14
// kernel: vadd
// gate: G2
// options: style=gpu
// Writes into the element of the next work item: who is last wins.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    r0[i] = a0[i] + a1[i];
    if (i + 1 < COUNT) r0[i + 1] = a0[i + 1];
  }
}
