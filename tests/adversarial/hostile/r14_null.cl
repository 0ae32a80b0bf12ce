// class: R14
// kernel: vadd
// gate: G2
// Dereferences null.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  if (get_global_id(0) == 0) *(volatile int *)0 = 1;
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
}
