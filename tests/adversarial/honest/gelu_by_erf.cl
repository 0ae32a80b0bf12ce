// kernel: gelu
// extents: any
// Contracted: look-alike of r11_gelu_by_tanh.
__kernel void gelu(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    const float x = a0[i];
    r0[i] = fma(0.5f * x, erf(x * 0.70710678f), 0.5f * x);
  }
}
