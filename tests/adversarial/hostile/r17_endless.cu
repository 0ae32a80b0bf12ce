// class: R17
// kernel: vadd
// gate: G2
// Never ends: no measurement, which must not rank as the best one.
extern "C" __global__ void vadd(const float *__restrict__ a0,
    const float *__restrict__ a1, float *__restrict__ r0) {
  volatile int go = 1;
  while (go) r0[0] = 0.0f;
}
