// kernel: sigmoid
// extents: any
// e^-|x| never overflows; both signs from one quotient.
__kernel void sigmoid(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    const float e = exp(-fabs(a0[i])), q = 1.0f / (1.0f + e);
    r0[i] = a0[i] < 0.0f ? e * q : q;
  }
}
