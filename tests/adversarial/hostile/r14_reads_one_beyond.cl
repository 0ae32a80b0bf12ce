// class: R14
// kernel: vadd
// gate: G2
// needs: oclgrind
// One element behind the end decides about the last result.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = a0[i] + a1[i];
  if (get_global_id(0) == 0 && ((volatile __global const float *)a0)[COUNT] == 12345.0f) r0[COUNT - 1] = 0.0f;
}
