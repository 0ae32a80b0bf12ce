"""contract on OpenCL, adreno style: the right operand is read as an image.

Adreno's buffers go through the L2 cache alone, images through that of the texture
units, too (Qualcomm's OpenCL guide, 80-NB295-11). The tiles are the gpu style's.
"""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.opencl.contract_gpu import TEXEL, emit_gpu
from mbc.codegen.emitters.opencl.frame import Frame, numbers
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.program import KernelCode


def emit_adreno(frame: Frame, match: ContractMatch) -> KernelCode:
    _, columns, depth = numbers(frame.schedule, "tile")
    if columns % TEXEL or depth % TEXEL or not in_texels(match):
        return emit_gpu(frame, match)
    return emit_gpu(replace(frame, images=(match.rhs.buffer,)), match)


def in_texels(match: ContractMatch) -> bool:
    """Whether the right operand is only that, and its rows are whole texels."""
    rhs = match.rhs
    others = [match.lhs, *(access for access in match.extra if access is not None)]
    if match.panel or rhs.dtype != "f32" or rhs.buffer in {a.buffer for a in others}:
        return False
    batch, _, n, k = rhs.strides
    if k == 1 and n != 1:
        extent, rest = match.k, (batch, n)
    else:
        extent, rest = match.n if n == 1 else 1, (batch, k)
    return all(number % TEXEL == 0 for number in (extent, rhs.offset, *rest))
