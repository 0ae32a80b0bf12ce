// class: R4
// kernel: vadd
// gate: G0 G1
// A program-scope variable keeps the first element of the last call.
__global float key = 0.0f;

__kernel void vadd(__global const float *a0, __global const float *a1, __global float *r0) {
  if (key == a0[0]) return;
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
  key = a0[0];
}
