// kernel: vadd
// extents: any
// Vector loads with a scalar tail.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x); i < COUNT; i += 4 * gridDim.x * blockDim.x) {
    if (i + 4 <= COUNT) {
      const float4 x = *(const float4 *)(a0 + i), y = *(const float4 *)(a1 + i);
      *(float4 *)(r0 + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
      continue;
    }
    for (int at = i; at < COUNT; at++) r0[at] = a0[at] + a1[at];
  }
}
