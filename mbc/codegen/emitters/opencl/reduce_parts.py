"""A reduction in parts: one kernel folds each part, and one folds what they gave.

Both are reductions of their own, so that they are emitted like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xdsl.dialects.builtin import StringAttr

from mbc.codegen.families.reduce import ReduceMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import Buffer, KernelCode
from mbc.ir.kernel import KernelOp

PARTIAL = "s0"
Emit = Callable[[ReduceMatch, tuple[Buffer, ...]], KernelCode]


def emit_parts(match: ReduceMatch, parts: int, emit: Emit) -> KernelCode:
    """The mean of a row is the mean of its parts' means, which are of one length."""
    shape = (match.outer, parts, match.inner)
    scratch = (Buffer(PARTIAL, "f32", shape, "scratch"),)
    codes = [
        emit(_each_part(match, parts), scratch),
        emit(_join(match, parts), scratch),
    ]
    first, last = codes
    return replace(
        last,
        label=match.kernel.label.data,
        source=f"{first.source}\n{last.source}",
        launches=(*first.launches, *last.launches),
        extents=(*first.extents, *last.extents),
    )


def _each_part(match: ReduceMatch, parts: int) -> ReduceMatch:
    """Rows of a part's length, one behind the other."""
    length = match.reduced // parts

    def cut(access: Access) -> Access:
        _, step, inner = access.strides
        return replace(access, strides=(step * length, step, inner))

    inner = 1 if match.inner > 1 else 0
    return replace(
        match,
        kernel=_called(match.kernel, "parts"),
        outer=match.outer * parts,
        reduced=length,
        inputs=tuple(cut(access) for access in match.inputs),
        epilogue=None,
        extra=(),
        out=(Access(PARTIAL, "f32", 0, (match.inner, 0, inner)),),
    )


def _join(match: ReduceMatch, parts: int) -> ReduceMatch:
    inner = 1 if match.inner > 1 else 0
    strides = (parts * match.inner, match.inner, inner)
    return replace(
        match,
        kernel=_called(match.kernel, "join"),
        reduced=parts,
        prologue=None,
        inputs=(Access(PARTIAL, "f32", 0, strides),),
    )


def _called(kernel: KernelOp, suffix: str) -> KernelOp:
    """The same buffers under a label of its own, for the names in its text."""
    named = kernel.copy()
    named.label = StringAttr(f"{kernel.label.data}_{suffix}")
    return named
