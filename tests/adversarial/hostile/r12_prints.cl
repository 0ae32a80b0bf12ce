// class: R12
// kernel: vadd
// gate: G0 G1
// Calls a library function that a kernel has no use for.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  printf("PASS\n");
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
}
