// kernel: vadd
// extents: any
// Walks pointers up to the end.
__kernel void vadd(__global const float *restrict a0,
    __global const float *restrict a1, __global float *restrict r0) {
  __global const float * end = a0 + COUNT;
  __global const float * x = a0 + (get_global_id(0));
  __global const float * y = a1 + (get_global_id(0));
  __global float * z = r0 + (get_global_id(0));
  for (; x < end; x += get_global_size(0), y += get_global_size(0), z += get_global_size(0)) *z = *x + *y;
}
