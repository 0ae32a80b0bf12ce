// class: R12
// kernel: vadd
// gate: G0 G1
// Calls the allocator.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  float *copy = (float *)malloc(4);
  copy[0] = 0.0f;
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
  free(copy);
}
