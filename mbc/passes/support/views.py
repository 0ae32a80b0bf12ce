"""Simplification of views: reshapes of reshapes, and those that change nothing."""

from __future__ import annotations

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from mbc.ir import build
from mbc.ir.types import shape_of

RESHAPES = (tensor.CollapseShapeOp, tensor.ExpandShapeOp)


def simplify_view(op: Operation) -> bool:
    """Replace the view by something simpler; says whether there was anything."""
    value = _simpler(op)
    if value is None:
        return False
    op.results[0].replace_all_uses_with(value)
    op.detach()
    op.erase()
    return True


def _simpler(op: Operation) -> SSAValue | None:
    if isinstance(op, RESHAPES):
        return _reshaped(op)
    if isinstance(op, tensor.ExtractSliceOp | tensor.CastOp):
        source = op.operands[0]
        return source if source.type == op.results[0].type else None
    return None


def _reshaped(op: Operation) -> SSAValue | None:
    """One reshape, or none, for a chain of them."""
    root, length = op.operands[0], 1
    while isinstance(root.owner, RESHAPES):
        root, length = root.owner.operands[0], length + 1
    shape = shape_of(op.results[0])
    if root.type == op.results[0].type:
        return root
    if length == 1 or _steps(root, shape) >= length:
        return None
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        return build.reshape(root, shape)


def _steps(root: SSAValue, shape: tuple[int, ...]) -> int:
    """How many views a reshape of `root` takes: collapse, expand, or both."""
    groups = build.common_groups(shape_of(root), shape)
    collapses = any(len(mine) > 1 for mine, _ in groups)
    expands = any(len(theirs) > 1 for _, theirs in groups)
    return int(collapses) + int(expands)
