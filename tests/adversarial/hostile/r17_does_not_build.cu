// class: R17
// kernel: vadd
// gate: G0 G1
// A syntax error: no measurement either.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  for (int i = 0; i < COUNT; i++ r0[i] = a0[i] + a1[i];
}
