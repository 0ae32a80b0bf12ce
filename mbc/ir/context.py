"""The xDSL context that mbc reads and runs modules in."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect

from mbc.ir.arith_repair import repaired_arith
from mbc.ir.linalg_repair import repaired_linalg


def _mbc() -> Dialect:
    from mbc.ir.dialect import Mbc

    return Mbc


def new_context() -> Context:
    """All of xDSL's dialects, lazily, with two of them repaired, and ours."""
    ctx = Context()
    ours = {"arith": repaired_arith, "linalg": repaired_linalg, "mbc": _mbc}
    for name, factory in {**get_all_dialects(), **ours}.items():
        ctx.register_dialect(name, factory)
    return ctx
