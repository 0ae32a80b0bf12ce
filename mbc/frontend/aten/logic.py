"""Comparisons, tests, logic and selection: operators about booleans."""

from __future__ import annotations

import torch
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from mbc.frontend.aten import formulas
from mbc.frontend.aten.call import Call, Lowering, Operand, is_unsigned
from mbc.frontend.aten.convert import nonzero
from mbc.frontend.aten.formulas import Formula, like
from mbc.ir import build
from mbc.ir.arithmetic import constant
from mbc.ir.types import is_float

Connective = arith.AndIOp | arith.OrIOp | arith.XOrIOp


def predicate(formula: Formula) -> Lowering:
    """A test of one value in its own dtype."""

    def lower(call: Call, x: SSAValue) -> SSAValue:
        return call.elementwise([x], formula, call.dtype_of(x))

    return lower


def is_nan(x: SSAValue) -> SSAValue:
    if not is_float(x.type):
        return like_bool(False)
    return arith.CmpfOp(x, x, "uno").result


def is_inf(x: SSAValue) -> SSAValue:
    if not is_float(x.type):
        return like_bool(False)
    infinity = like(float("inf"), x)
    return arith.CmpfOp(formulas.absolute(x), infinity, "oeq").result


def like_bool(value: bool) -> SSAValue:
    return arith.ConstantOp.from_int_and_width(int(value), 1).result


def negated(x: SSAValue) -> SSAValue:
    """Bitwise complement; of a boolean, its negation."""
    ones = 1 if x.type == IntegerType(1) else -1
    return arith.XOrIOp(x, like(ones, x)).result


def comparison(order: str) -> Lowering:
    """`order` is eq, ne, lt, le, gt or ge."""
    on_floats = {"eq": "oeq", "ne": "une"}.get(order, f"o{order}")

    def lower(call: Call, a: Operand, b: Operand) -> SSAValue:
        dtype = call.promoted(a, b)
        plain = order in ("eq", "ne")
        # Booleans are ordered false < true, which is the unsigned order.
        unsigned = is_unsigned(dtype) or dtype == torch.bool
        on_integers = order if plain else ("u" if unsigned else "s") + order

        def body(x: SSAValue, y: SSAValue) -> SSAValue:
            if is_float(x.type):
                return arith.CmpfOp(x, y, on_floats).result
            return arith.CmpiOp(x, y, on_integers).result

        return call.elementwise([a, b], body, dtype)

    return lower


def logical(op: type[Connective]) -> Lowering:
    def lower(call: Call, a: Operand, b: Operand) -> SSAValue:
        def body(x: SSAValue, y: SSAValue) -> SSAValue:
            return op(nonzero(x), nonzero(y)).result

        return call.elementwise([a, b], body, call.promoted(a, b))

    return lower


def logical_not(call: Call, x: SSAValue) -> SSAValue:
    def body(value: SSAValue) -> SSAValue:
        return negated(nonzero(value))

    return call.elementwise([x], body, call.dtype_of(x))


def bitwise(op: type[Connective]) -> Lowering:
    def lower(call: Call, a: Operand, b: Operand) -> SSAValue:
        def body(x: SSAValue, y: SSAValue) -> SSAValue:
            return op(x, y).result

        return call.elementwise([a, b], body)

    return lower


def where(call: Call, condition: SSAValue, a: Operand, b: Operand) -> SSAValue:
    """Selection; the condition is a boolean beside values of the call's dtype."""
    chosen = [call.cast(x) if isinstance(x, SSAValue) else x for x in (a, b)]
    tensors = [x for x in chosen if isinstance(x, SSAValue)]

    def body(test: SSAValue, *scalars: SSAValue) -> SSAValue:
        given = iter(scalars)
        yes, no = (
            next(given) if isinstance(x, SSAValue) else constant(x, call.element)
            for x in chosen
        )
        return formulas.select(nonzero(test), yes, no)

    return build.elementwise([condition, *tensors], call.shape, call.element, body)


def bitwise_not(call: Call, x: SSAValue) -> SSAValue:
    return call.elementwise([x], negated)


BITWISE = {"and": arith.AndIOp, "or": arith.OrIOp, "xor": arith.XOrIOp}

LOWERINGS: dict[str, Lowering] = {
    **{
        f"{order}.{form}": comparison(order)
        for order in ("eq", "ne", "lt", "le", "gt", "ge")
        for form in ("Tensor", "Scalar")
    },
    **{
        f"bitwise_{name}.{form}": bitwise(op)
        for name, op in BITWISE.items()
        for form in ("Tensor", "Scalar")
    },
    **{f"logical_{name}.default": logical(op) for name, op in BITWISE.items()},
    "bitwise_not.default": bitwise_not,
    "logical_not.default": logical_not,
    "isnan.default": predicate(is_nan),
    "isinf.default": predicate(is_inf),
    "where.self": where,
    "where.ScalarOther": where,
    "where.ScalarSelf": where,
    "where.Scalar": where,
}
