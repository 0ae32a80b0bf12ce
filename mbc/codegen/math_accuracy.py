"""The largest error of every f32 function on every target, in units of the last place.

Stated once: emitted comments and docs/math.md are made from it, and tests hold it. One
unit is the distance of the two floats around the exact result; 0.5 is correct
rounding, and 0 stands for exact operations. `rvv` is ours; `opencl` is what OpenCL C
1.2 guarantees a full profile (section 7.4 of its specification); `cuda` bounds what
`tools.math_error` saw of the device library of CUDA 13.0 on an H200.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Accuracy:
    rvv: float
    opencl: float
    cuda: float


MATH_ACCURACY: dict[str, Accuracy] = {
    "acos": Accuracy(0.6, 4, 2),
    "acosh": Accuracy(0.6, 4, 4),
    "asin": Accuracy(0.6, 4, 2),
    "asinh": Accuracy(0.6, 4, 3),
    "atan": Accuracy(0.6, 5, 2),
    "atan2": Accuracy(0.6, 6, 3),
    "atanh": Accuracy(0.6, 5, 3),
    "ceil": Accuracy(0, 0, 0),
    "copysign": Accuracy(0, 0, 0),
    "cos": Accuracy(1.75, 4, 2),
    "cosh": Accuracy(0.6, 4, 3),
    "erf": Accuracy(1.25, 16, 2),
    "exp": Accuracy(1.75, 3, 2),
    "exp2": Accuracy(2, 3, 3),
    "expm1": Accuracy(1.5, 3, 2),
    "fabs": Accuracy(0, 0, 0),
    "floor": Accuracy(0, 0, 0),
    "fmod": Accuracy(0, 0, 0),
    "log": Accuracy(1, 3, 1),
    "log10": Accuracy(1, 3, 2),
    "log1p": Accuracy(2, 2, 1),
    "log2": Accuracy(1, 3, 1),
    "pow": Accuracy(0.6, 16, 4),
    "rint": Accuracy(0, 0, 0),
    "round": Accuracy(0, 0, 0),
    "rsqrt": Accuracy(1.5, 2, 2),
    "sin": Accuracy(1.75, 4, 2),
    "sinh": Accuracy(0.6, 4, 3),
    "sqrt": Accuracy(0.5, 3, 0.5),
    "tan": Accuracy(4, 5, 4),
    "tanh": Accuracy(3, 5, 2),
    "trunc": Accuracy(0, 0, 0),
}
"""By the C name of the function in double."""
