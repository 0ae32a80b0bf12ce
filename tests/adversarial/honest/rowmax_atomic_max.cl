// kernel: rowmax
// options: style=gpu
// The order of arrival does not matter to a maximum of integers.
static uint key(float x) {
  const uint bits = as_uint(x);
  if (isnan(x)) return 0xffffffffu;
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static float value(uint key) {
  return as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}

__kernel void rowmax(__global const float *restrict a0, __global float *restrict r0) {
  __local uint largest;
  for (int row = get_group_id(0); row < ROWS; row += get_num_groups(0)) {
    if (get_local_id(0) == 0) largest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = get_local_id(0); j < COLS; j += get_local_size(0))
      atomic_max(&largest, key(a0[row * COLS + j]));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) r0[row] = value(largest);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
