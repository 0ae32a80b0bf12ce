/* kernel: vadd
 * extents: any
 * Innocent words: asm, #include "/etc/passwd", system("id"), printf("PASS"), __asm__.
 */
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  const float *plasma = a0; // no asm, no \n tricks: constructor
  /* #include <stdio.h> */
  for (size_t clock_of_rows = 0; clock_of_rows < COUNT; clock_of_rows++)
    r0[clock_of_rows] = plasma[clock_of_rows] + a1[clock_of_rows];
}
