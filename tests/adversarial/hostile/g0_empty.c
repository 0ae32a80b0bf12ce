/* class: R17
 * kernel: vadd
 * gate: G0 G1
 * Nothing but this comment.
 */
