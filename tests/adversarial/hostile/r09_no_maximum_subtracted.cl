// class: R9
// kernel: softmax
// gate: G2
// extents: any
// Infinity over infinity for large inputs.
__kernel void softmax(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) sum += exp(a0[i * COLS + j]);
    for (int j = 0; j < COLS; j++) r0[i * COLS + j] = exp(a0[i * COLS + j]) / sum;
  }
}
