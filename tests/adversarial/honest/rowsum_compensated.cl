// kernel: rowsum
// extents: any
// Kahan's sum; special values by a plain one.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float sum = 0.0f, rest = 0.0f, plain = 0.0f;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j], y = x - rest, t = sum + y;
      rest = (t - sum) - y;
      sum = t;
      plain += x;
    }
    r0[i] = sum == sum ? sum : plain;
  }
}
