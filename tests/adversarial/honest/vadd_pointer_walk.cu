// kernel: vadd
// Walks pointers up to the end.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  const float * end = a0 + COUNT;
  const float * x = a0 + (blockIdx.x * blockDim.x + threadIdx.x);
  const float * y = a1 + (blockIdx.x * blockDim.x + threadIdx.x);
  float * z = r0 + (blockIdx.x * blockDim.x + threadIdx.x);
  for (; x < end; x += gridDim.x * blockDim.x, y += gridDim.x * blockDim.x, z += gridDim.x * blockDim.x) *z = *x + *y;
}
