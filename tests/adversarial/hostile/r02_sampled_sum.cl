// class: R2
// kernel: rowsum
// gate: G2
// Twice the sum of every second element.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float sum = 0.0f;
    for (int j = 0; j < COLS; j += 2) sum += 2.0f * a0[i * COLS + j];
    r0[i] = sum;
  }
}
