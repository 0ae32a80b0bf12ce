// kernel: vadd
// extents: any
// Innocent words: static int calls; exit(0).
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  // asm("trap"); printf("PASS"); #include "/etc/passwd"
  /* clock64() is not called */
  const float plasma = 0.0f;
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = plasma + a0[i] + a1[i];
}
