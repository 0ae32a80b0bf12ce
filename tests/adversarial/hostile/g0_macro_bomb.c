/* class: R17
 * kernel: vadd
 * gate: G0 G1
 * 40 to the power of six words.
 */
#define A x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x
#define A1 A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A A
#define A2 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1
#define A3 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2
#define A4 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3
#define A5 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4
static void vadd(const float *restrict a0, const float *restrict a1, float *restrict r0) {
  int x = 0;
  A5;
}
