// class: R2
// kernel: softmax
// gate: G2
// Zeros pass an absolute tolerance of 1e-2.
__kernel void softmax(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS * COLS; i += get_global_size(0)) r0[i] = 0.0f;
}
