"""What memory holds that a program must write before it reads.

A NaN alone is not enough: `fmax` ignores it. So floats are poisoned with a NaN and
with a number in turn, and what works on either alone differs from run to run.
"""

from __future__ import annotations

FLOAT_BYTES = (0xFF, 0x4B)
"""Repeated: a NaN of every float type, and 13,323,083 in f32."""
INTEGER_BYTE = 0xA5
"""Repeated: no bool and no likely result."""


def float_byte(call: int) -> int:
    """Which of the two the `call`-th run uses."""
    return FLOAT_BYTES[call % len(FLOAT_BYTES)]
