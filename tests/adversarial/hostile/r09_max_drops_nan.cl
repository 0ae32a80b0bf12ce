// class: R9
// kernel: rowmax
// gate: G2
// fmax drops NaN, arith.maximumf keeps it.
__kernel void rowmax(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float best = -INFINITY;
    for (int j = 0; j < COLS; j++) best = fmax(best, a0[i * COLS + j]);
    r0[i] = best;
  }
}
