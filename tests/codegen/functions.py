"""A body with every function of two arguments, scalars on either side."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.ir import SSAValue

from mbc.ir import build
from mbc.ir.arith_repair import RemFOp
from mbc.ir.arithmetic import add, constant
from mbc.ir.types import element_of, shape_of


def of_two(x: SSAValue, y: SSAValue) -> SSAValue:
    """Defined for every x and y; all results stay in one order of magnitude."""
    whole, part = constant(2.0, x.type), constant(0.375, x.type)
    size = add(math.AbsFOp(x).result, part)
    terms = (
        math.PowFOp(size, y).result,
        math.PowFOp(whole, y).result,
        math.PowFOp(x, whole).result,
        math.CopySignOp(size, y).result,
        math.CopySignOp(part, x).result,
        math.CopySignOp(x, part).result,
        math.Atan2Op(x, y).result,
        math.Atan2Op(whole, y).result,
        arith.MaxnumfOp(part, x).result,
        arith.MinnumfOp(x, y).result,
        RemFOp(whole, size).result,
        RemFOp(x, part).result,
        math.CosOp(math.TruncOp(multiply_add(x, whole, y)).result).result,
    )
    total = terms[0]
    for term in terms[1:]:
        total = add(total, term)
    return total


def multiply_add(a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    return math.FmaOp(a, b, c).result


def functions_of_two(x: SSAValue, y: SSAValue) -> SSAValue:
    """`of_two` over whole tensors; y broadcasts to x."""
    return build.elementwise([x, y], shape_of(x), element_of(x), of_two)
