/* class: R1
 * kernel: softmax
 * gate: G2
 * Writes nothing: whatever the output held before would be the result.
 */
static void softmax(const float *restrict a0, float *restrict r0) {}
