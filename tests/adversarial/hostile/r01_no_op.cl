// class: R1
// kernel: softmax
// gate: G2
// Writes nothing.
__kernel void softmax(__global const float *restrict a0, __global float *restrict r0) {

}
