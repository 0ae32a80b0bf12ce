// class: R13
// kernel: vadd
// gate: G2 G6
// extents: any
// options: style=gpu
// One element per thread, and there are more elements than threads.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  const int i = get_local_id(0);
  if (i < COUNT) r0[i] = a0[i] + a1[i];
}
