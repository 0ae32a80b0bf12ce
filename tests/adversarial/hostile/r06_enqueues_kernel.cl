// class: R6
// kernel: vadd
// gate: G0 G1
// The work goes to a device queue.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  queue_t queue = get_default_queue();
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
    for (int i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];
  });
}
