// kernel: relu
// One comparison whose other branch takes NaN: look-alike of r09_relu_of_nan.
extern "C" __global__ void relu(const float *__restrict__ a0, float *__restrict__ r0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = a0[i] < 0.0f ? 0.0f : a0[i];
}
