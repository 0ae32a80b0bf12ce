"""Exact simplification of scalar code: the bodies of generics."""

from __future__ import annotations

import math

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from mbc.ir.arithmetic import constant
from mbc.passes.support.folding import folded
from mbc.passes.support.ops import is_pure, remove_dead

NEUTRAL_RIGHT = {
    "arith.addf": -0.0,
    "arith.subf": 0.0,
    "arith.mulf": 1.0,
    "arith.addi": 0,
    "arith.subi": 0,
    "arith.muli": 1,
    "arith.ori": 0,
    "arith.xori": 0,
    "arith.shli": 0,
}
"""x op neutral == x for every x, signed zeros, infinities and NaN included."""

COMMUTATIVE = frozenset(
    f"arith.{name}" for name in ("addf", "mulf", "addi", "muli", "ori", "xori")
)


def simplify(block: Block) -> bool:
    """Fold constants, drop neutral and repeated ops; says whether anything changed."""
    seen: dict[object, Operation] = {}
    changed = False
    for op in list(block.ops):
        if len(op.results) != 1 or op.regions or not is_pure(op):
            continue
        value = _simpler(op) or _folded(op)
        if value is None:
            known = seen.setdefault(_key(op), op)
            value = known.results[0] if known is not op else None
        if value is None:
            continue
        op.results[0].replace_all_uses_with(value)
        changed = True
    if changed:
        remove_dead(block)
    return changed


def _key(op: Operation) -> object:
    """Equal for ops that compute the same value."""
    named = sorted((n, str(a)) for n, a in (op.properties | op.attributes).items())
    types = tuple(str(result.type) for result in op.results)
    return (op.name, tuple(op.operands), tuple(named), types)


def _simpler(op: Operation) -> SSAValue | None:
    """A value that stands for the result of `op` already."""
    if isinstance(op, arith.NegfOp | math_dialect.AbsFOp):
        return _of_unary(op)
    if isinstance(op, arith.SelectOp):
        return _of_select(op)
    if op.name not in NEUTRAL_RIGHT:
        return None
    lhs, rhs = op.operands
    neutral = NEUTRAL_RIGHT[op.name]
    if is_constant(rhs, neutral):
        return lhs
    return rhs if op.name in COMMUTATIVE and is_constant(lhs, neutral) else None


def _folded(op: Operation) -> SSAValue | None:
    """The constant that an operation on constants is."""
    value = folded(op)
    if value is None:
        return None
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        found = constant(value, op.results[0].type)
    found.name_hint = op.results[0].name_hint
    return found


def _of_unary(op: Operation) -> SSAValue | None:
    """-(-x) is x, and |(|x|)| is |x|."""
    inner = op.operands[0].owner
    if not isinstance(inner, Operation) or inner.name != op.name:
        return None
    return inner.operands[0] if isinstance(op, arith.NegfOp) else inner.results[0]


def _of_select(op: arith.SelectOp) -> SSAValue | None:
    if op.lhs is op.rhs:
        return op.lhs
    if is_constant(op.cond, 1) or is_constant(op.cond, -1):
        return op.lhs
    return op.rhs if is_constant(op.cond, 0) else None


def is_constant(value: SSAValue, wanted: float) -> bool:
    """Whether a value is this constant, with this sign."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    found = number(owner.value)
    if found is None or found != wanted:
        return False
    return math.copysign(1.0, found) == math.copysign(1.0, wanted)


def number(attribute: Attribute) -> float | int | None:
    match attribute:
        case FloatAttr() | IntegerAttr():
            return attribute.value.data
        case _:
            return None
