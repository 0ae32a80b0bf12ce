// kernel: transpose
// extents: any
// options: style=gpu
// Tiles with a padded row.
__kernel void transpose(__global const float *restrict a0,
    __global float *restrict r0) {
  __local float tile[8][9];
  for (int block = get_group_id(0); block < (ROWS + 7) / 8 * ((COLS + 7) / 8); block += get_num_groups(0)) {
    const int y = block / ((COLS + 7) / 8) * 8, x = block % ((COLS + 7) / 8) * 8;
    for (int at = get_local_id(0); at < 64; at += get_local_size(0))
      if (y + at / 8 < ROWS && x + at % 8 < COLS)
        tile[at / 8][at % 8] = a0[(y + at / 8) * COLS + x + at % 8];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int at = get_local_id(0); at < 64; at += get_local_size(0))
      if (y + at % 8 < ROWS && x + at / 8 < COLS)
        r0[(x + at / 8) * ROWS + y + at % 8] = tile[at % 8][at / 8];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
