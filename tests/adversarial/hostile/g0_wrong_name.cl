// class: R17
// kernel: vadd
// gate: G0 G1
// The function has another name.
__kernel void add(__global const float *a0, __global const float *a1, __global float *r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
}
