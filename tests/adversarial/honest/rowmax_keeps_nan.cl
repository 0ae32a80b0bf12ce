// kernel: rowmax
// extents: any
// NaN wins from either side: look-alike of r09_max_drops_nan.
__kernel void rowmax(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float best = -INFINITY;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j];
      best = best != best || best > x ? best : x;
    }
    r0[i] = best;
  }
}
