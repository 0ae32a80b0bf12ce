"""Running sums, products, extrema and log-sum-exps; integers sum in int64."""

from __future__ import annotations

import torch
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, cast, wrap
from mbc.frontend.dtypes import NEXT_SIGNED, UNSIGNED
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.ops.scan import ScanOp
from mbc.ir.types import shape_of


def along(x: SSAValue, kind: str, axis: int, indices: bool = False) -> ScanOp:
    """A scan from the front; a scalar is a row of one element."""
    rank = len(shape_of(x))
    row = x if rank else build.reshape(x, (1,))
    return ScanOp.of(
        [row],
        kind=kind,
        axis=wrap(axis, rank),
        exclusive=False,
        reverse=False,
        indices=indices,
    )


def scan(kind: str) -> Lowering:
    """In the dtype of the result."""

    def lower(
        call: Call, x: SSAValue, axis: int, *, dtype: torch.dtype | None = None
    ) -> SSAValue:
        return build.reshape(along(call.cast(x), kind, axis).result, call.shape)

    return lower


def running_extreme(kind: str) -> Lowering:
    """cummax and cummin: values, and where each was last met."""

    def lower(call: Call, x: SSAValue, axis: int) -> list[SSAValue]:
        own = call.dtype_of(x)
        if own in UNSIGNED and own not in NEXT_SIGNED:
            raise Unsupported("uint64 has no wider signed type")
        ordered = torch.int8 if own == torch.bool else NEXT_SIGNED.get(own, own)
        found = along(cast(x, own, ordered), kind, axis, indices=True)
        assert found.where is not None
        values = cast(found.result, ordered, own)
        return [build.reshape(v, call.shape) for v in (values, found.where)]

    return lower


LOWERINGS: dict[str, Lowering] = {
    "cumsum.default": scan("sum"),
    "cumprod.default": scan("prod"),
    "logcumsumexp.default": scan("logsumexp"),
    "cummax.default": running_extreme("max"),
    "cummin.default": running_extreme("min"),
}
