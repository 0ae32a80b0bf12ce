// class: R11
// kernel: gelu
// gate: G2
// The tanh approximation, good to three digits.
__kernel void gelu(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < COUNT; i += get_global_size(0)) {
    const float x = a0[i];
    r0[i] = 0.5f * x * (1.0f + tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}
