// kernel: vsub
// extents: any
// A difference as one fused multiply-add.
__kernel void vsub(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) r0[i] = fma(-1.0f, a1[i], a0[i]);
}
