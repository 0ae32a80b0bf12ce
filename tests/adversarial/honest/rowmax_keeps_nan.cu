// kernel: rowmax
// extents: any
// NaN wins from either side: look-alike of r09_max_drops_nan.
extern "C" __global__ void rowmax(const float *__restrict__ a0,
    float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x) {
    float best = -MBC_INF;
    for (int j = 0; j < COLS; j++) {
      const float x = a0[i * COLS + j];
      best = best != best || best > x ? best : x;
    }
    r0[i] = best;
  }
}
