// class: R14
// kernel: rowsum
// gate: G1 G2
// A row of a hundred in sixteen private elements.
__kernel void rowsum(__global const float *restrict a0, __global float *restrict r0) {
  for (int i = get_global_id(0); i < ROWS; i += get_global_size(0)) {
    float row[16];
    for (int j = 0; j < COLS; j++) row[j] = a0[i * COLS + j];
    float sum = 0.0f;
    for (int j = 0; j < COLS; j++) sum += row[j];
    r0[i] = sum;
  }
}
