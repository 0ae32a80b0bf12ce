// class: R17
// kernel: vadd
// gate: G0 G1 G2
// A gigabyte for every work item.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  volatile float pages[1 << 28];
  for (int i = 0; i < 1 << 28; i += 1024) pages[i] = 0.0f;
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i] + pages[i];
}
