// class: R14
// kernel: vadd
// gate: G2
// Writes in front of its output.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  if (get_global_id(0) == 0) r0[-1] = 1.0f;
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
}
