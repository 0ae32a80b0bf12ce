"""conv-to-contract: a convolution as a matrix product over gathered windows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.ir import build
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.pad import PadOp
from mbc.ir.types import element_of, shape_of
from mbc.passes.support.functions import forward_of


@dataclass(frozen=True)
class ConvToContractPass(ModulePass):
    """Gathers the windows of a convolution into columns and contracts them.

    Before:
    ```mlir
    %0 = mbc.conv %x, %w {groups = 1 : i64, ...}
    ```
    After `conv-to-contract`:
    ```mlir
    %1 = mbc.pad %x {...}
    %2 = linalg.generic ins(%1) { linalg.yield }  // (n, c, window..., out...)
    %3 = tensor.collapse_shape %2                 // (n, c * window, out...)
    %0 = mbc.contract %rows, %3 {...}             // (n, filters, out...)
    ```
    Precondition: one group; kernels are not formed yet. Grouped convolutions stay, so
    that it refuses nothing. With `only=pointwise` it takes those whose columns are the
    input as it lies: of window 1 and stride 1, without padding. The others have
    templates of their own, which gather nothing.
    """

    name = "conv-to-contract"

    only: Literal["pointwise"] | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(forward_of(op).body.block.ops):
            if isinstance(inner, ConvOp) and self._takes(inner):
                _contract(inner)

    def _takes(self, conv: ConvOp) -> bool:
        single = conv.int_of("groups") == 1
        return single and (self.only is None or _is_pointwise(conv))


def _is_pointwise(conv: ConvOp) -> bool:
    padding = (*conv.ints_of("low"), *conv.ints_of("high"))
    return _gathers_nothing(conv) and not any(padding)


def _gathers_nothing(conv: ConvOp) -> bool:
    window = shape_of(conv.weight)[2:]
    return set(window) == {1} and set(conv.ints_of("strides")) == {1}


def _contract(conv: ConvOp) -> None:
    if 0 in (*shape_of(conv.input), *shape_of(conv.weight), *shape_of(conv.result)):
        return
    with ImplicitBuilder(Builder(InsertPoint.before(conv))):
        filters, *rest = shape_of(conv.weight)
        rows = build.reshape(conv.weight, (filters, math.prod(rest)))
        axes = "xyz"[: len(conv.ints_of("strides"))]
        equation = f"fk,nk{axes}->nf{axes}"
        result = ContractOp.einsum(equation, rows, _columns(conv)).result
    conv.result.replace_all_uses_with(result)
    conv.detach()
    conv.erase()


def _columns(conv: ConvOp) -> SSAValue:
    """(batch, channels * window, out...): what each result position sees."""
    batch, channels = shape_of(conv.input)[:2]
    window, out = shape_of(conv.weight)[2:], shape_of(conv.result)[2:]
    zeros = (0, 0)
    low, high = (*zeros, *conv.ints_of("low")), (*zeros, *conv.ints_of("high"))
    padded = PadOp.with_value(conv.input, low, high, 0.0)
    columns = (batch, channels * math.prod(window), *out)
    if _gathers_nothing(conv):
        return build.reshape(padded, columns)
    shape = (batch, channels, *window, *out)
    gathered = build.elementwise(
        [padded], shape, element_of(conv.input), lambda x: x, [_window_map(conv)]
    )
    return build.reshape(gathered, columns)


def _window_map(conv: ConvOp) -> AffineMap:
    """Loops: batch, channel, window axes, result axes."""
    spatial = len(conv.ints_of("strides"))
    loops = 2 + 2 * spatial
    d = [AffineExpr.dimension(i) for i in range(loops)]
    taps, out = d[2 : 2 + spatial], d[2 + spatial :]
    rows = zip(
        out, taps, conv.ints_of("strides"), conv.ints_of("dilation"), strict=True
    )
    return AffineMap(loops, 0, (d[0], d[1], *(o * s + t * k for o, t, s, k in rows)))
