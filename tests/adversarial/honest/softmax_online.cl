// kernel: softmax
// extents: any
// One pass keeps the maximum and rescales the sum.
__kernel void softmax(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float best = a0[i * COLS], sum = 1.0f;
    for (int j = 1; j < COLS; j++) {
      const float x = a0[i * COLS + j], next = best != best || best > x ? best : x;
      sum = sum * exp(best - next) + exp(x - next);
      best = next;
    }
    for (int j = 0; j < COLS; j++) r0[i * COLS + j] = exp(a0[i * COLS + j] - best) / sum;
  }
}
