// kernel: vadd
// Innocent words: static int calls; exit(0).
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  // asm("trap"); printf("PASS"); #include "/etc/passwd"
  /* clock64() is not called */
  const float plasma = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) r0[i] = plasma + a0[i] + a1[i];
}
