"""Scaled dot-product attention of any rank as `mbc.attention`."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.ops.attention import AttentionOp
from mbc.ir.types import shape_of


def attention(
    call: Call,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    mask: SSAValue | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> SSAValue:
    if dropout:
        raise Unsupported("dropout is random")
    depth = shape_of(query)[-1]
    operands = [_with_heads(x) for x in (query, key, value)]
    heads, own = (shape_of(x)[1] for x in operands[:2])
    if heads % own:
        raise Unsupported(f"{heads} query heads do not divide into {own}")
    if mask is not None:
        operands.append(_mask(mask, shape_of(query)))
    result = AttentionOp.of(
        operands,
        scale=1 / math.sqrt(depth) if scale is None else float(scale),
        causal=is_causal,
    ).result
    return build.reshape(result, call.shape)


def _with_heads(x: SSAValue) -> SSAValue:
    """(batch, heads, length, depth): leading axes are merged or added."""
    *lead, length, depth = shape_of(x)
    batch, heads = lead if len(lead) == 2 else (math.prod(lead), 1)
    return build.reshape(x, (batch, heads, length, depth))


def _mask(mask: SSAValue, query: tuple[int, ...]) -> SSAValue:
    if len(shape_of(mask)) < 2:
        mask = build.reshape(mask, (1, *(shape_of(mask) or (1,))))
    *lead, rows, columns = shape_of(mask)
    if not lead:
        return build.reshape(mask, (1, 1, rows, columns))
    if len(query) == 4:
        return build.reshape(mask, (*(1,) * (2 - len(lead)), *shape_of(mask)))
    batch = math.prod(query[:-2])
    if math.prod(lead) not in (1, batch):
        raise Unsupported("a mask that repeats over some of many leading axes")
    return build.reshape(mask, (math.prod(lead), 1, rows, columns))


LOWERINGS: dict[str, Lowering] = {
    "scaled_dot_product_attention.default": attention,
}
