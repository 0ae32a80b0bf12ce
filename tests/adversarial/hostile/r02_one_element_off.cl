// class: R2
// kernel: vadd
// gate: G2
// extents: any
// Every element belongs one place to the left.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    const int from = i == 0 ? COUNT - 1 : i - 1;
    r0[i] = a0[from] + a1[from];
  }
}
