// class: R15
// kernel: vadd
// gate: G2
// Uses an input as its scratch memory.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  __global float * scratch = (__global float *)a0;
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    scratch[i] += a1[i];
    r0[i] = scratch[i];
  }
}
