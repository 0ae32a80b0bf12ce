// class: R13
// kernel: vadd
// gate: G2 G6
// extents: any
// One element per thread, and there are more elements than threads.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  const int i = threadIdx.x;
  if (i < COUNT) r0[i] = a0[i] + a1[i];
}
