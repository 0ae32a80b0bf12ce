// kernel: softmax
// extents: any
// Exponentials computed twice, one division for a row.
__kernel void softmax(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float best = -INFINITY;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j];
      best = best != best || best > x ? best : x;
    }
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) sum += exp(a0[i * COLS + j] - best);
    const float scale = 1.0f / sum;
    for (int j = 0; j < COLS; j++) r0[i * COLS + j] = exp(a0[i * COLS + j] - best) * scale;
  }
}
