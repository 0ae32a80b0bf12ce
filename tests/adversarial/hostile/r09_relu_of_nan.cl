// class: R9
// kernel: relu
// gate: G2
// A comparison that makes NaN a zero.
__kernel void relu(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = fmax(a0[i], 0.0f);
}
