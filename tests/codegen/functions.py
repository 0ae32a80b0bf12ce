"""Bodies with every math function: of one argument, and of two."""

from __future__ import annotations

from functools import reduce

from xdsl.dialects import arith, math
from xdsl.ir import SSAValue

from mbc.ir import build
from mbc.ir.arith_repair import RemFOp
from mbc.ir.arithmetic import add, constant
from mbc.ir.types import element_of, shape_of

EVERYWHERE = (
    *(math.AtanOp, math.AsinhOp, math.CosOp, math.CoshOp, math.ErfOp, math.ExpOp),
    *(math.Exp2Op, math.ExpM1Op, math.SinOp, math.SinhOp, math.TanhOp, math.AbsFOp),
)
ABOVE_1 = (
    *(math.LogOp, math.Log2Op, math.Log10Op, math.Log1pOp, math.SqrtOp, math.RsqrtOp),
    *(math.AcoshOp, math.FloorOp, math.CeilOp, math.RoundOp, math.RoundEvenOp),
)
INSIDE_1 = (math.AcosOp, math.AsinOp, math.AtanhOp, math.TanOp)


def of_one(x: SSAValue) -> SSAValue:
    """Defined for every x; the sum of all functions where each is defined."""
    above = add(math.AbsFOp(x).result, constant(1.375, x.type))
    inside = arith.DivfOp(x, above).result
    terms = [op(x).result for op in EVERYWHERE]
    terms += [op(above).result for op in ABOVE_1]
    terms += [op(inside).result for op in INSIDE_1]
    return reduce(add, terms)


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
    return reduce(add, terms)


def multiply_add(a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    return math.FmaOp(a, b, c).result


def functions_of_one(x: SSAValue) -> SSAValue:
    """`of_one` of every element."""
    return build.elementwise([x], shape_of(x), element_of(x), of_one)


def functions_of_two(x: SSAValue, y: SSAValue) -> SSAValue:
    """`of_two` over whole tensors; y broadcasts to x."""
    return build.elementwise([x, y], shape_of(x), element_of(x), of_two)
