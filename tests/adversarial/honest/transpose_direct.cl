// kernel: transpose
// extents: any
// options: style=gpu
// Scattered stores.
__kernel void transpose(__global const float *restrict a0,
    __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS * COLS; i += get_global_size(0)) r0[i % COLS * ROWS + i / COLS] = a0[i];
}
