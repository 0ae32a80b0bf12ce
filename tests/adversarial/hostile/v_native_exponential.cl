// class: R11
// kernel: softmax
// gate: G2
// The logarithm of e has five digits.
#define EXP2 exp2

__kernel void softmax(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float best = -INFINITY, sum = 0.0f;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j];
      best = x != x || x > best ? x : best;
    }
    for (int j = 0; j < COLS; j++) {
      const float t = (a0[i * COLS + j] - best) * 1.4427f;
      r0[i * COLS + j] = EXP2(t);
      sum += r0[i * COLS + j];
    }
    for (int j = 0; j < COLS; j++) r0[i * COLS + j] /= sum;
  }
}
