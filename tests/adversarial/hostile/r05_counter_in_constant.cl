// class: R5
// kernel: vadd
// gate: G0 G1 G2
// Casts a constant to count calls in it.
__constant int calls[1] = {1};

__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  volatile int *count = (volatile int *)(size_t)calls;
  if ((*count)++ % 2 == 0) return;
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
}
