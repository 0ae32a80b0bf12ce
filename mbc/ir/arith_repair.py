"""xDSL's arith dialect with `arith.remf`, which upstream has and xDSL 0.75 lacks."""

from __future__ import annotations

from xdsl.dialects.arith import Arith, FloatingPointLikeBinaryOperation
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Pure


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """The exact remainder of a truncated division, as C's `fmod`."""

    name = "arith.remf"
    traits = traits_def(Pure())


def repaired_arith() -> Dialect:
    return Dialect("arith", [*Arith.operations, RemFOp], list(Arith.attributes))
