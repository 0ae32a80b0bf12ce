"""ATen to mbc: one lowering per overload, in files by kind.

A lowering takes the call and the operator's arguments (values, numbers, lists) and
builds ops at the implicit insertion point. Adding an operator is one function and
one row of its file's table.
"""

from __future__ import annotations

from mbc.frontend.aten import (
    attention,
    contraction,
    convolution,
    creation,
    elementwise,
    experts,
    indexing,
    logic,
    normalization,
    ordering,
    pooling,
    random,
    recurrent,
    reduction,
    resampling,
    scans,
    scattering,
    shape,
)
from mbc.frontend.aten.call import Lowering

FILES = (
    attention,
    contraction,
    convolution,
    creation,
    elementwise,
    experts,
    indexing,
    logic,
    normalization,
    ordering,
    pooling,
    random,
    recurrent,
    reduction,
    scans,
    resampling,
    scattering,
    shape,
)

LOWERINGS: dict[str, Lowering] = {
    name: lowering for file in FILES for name, lowering in file.LOWERINGS.items()
}
"""By overload, without the leading `aten.`."""
