"""What stock xDSL drivers find through the `xdsl.universe` entry point, lazily.

xDSL has a pass called `canonicalize`, and a name that two universes define is an
error there: ours is known to `mbc-opt` only.
"""

from __future__ import annotations

from functools import partial

from xdsl.ir import Dialect
from xdsl.universe import Universe

from mbc.passes import PASSES, pass_class

IN_XDSL = frozenset({"canonicalize"})


def _mbc() -> Dialect:
    from mbc.ir.dialect import Mbc

    return Mbc


UNIVERSE = Universe(
    all_dialects={"mbc": _mbc},
    all_passes={n: partial(pass_class, n) for n in PASSES if n not in IN_XDSL},
)
