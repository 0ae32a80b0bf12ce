// class: R2
// kernel: rowmax
// gate: G2
// Wrong for rows without a positive element, and forgets a NaN.
__kernel void rowmax(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float best = 0.0f;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j];
      best = x != x || x > best ? x : best;
    }
    r0[i] = best;
  }
}
