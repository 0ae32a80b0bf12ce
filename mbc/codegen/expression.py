"""Scalar bodies as C statements: the expression printer of all three languages.

Values of i1 are ints that hold 0 or 1; f16 and bf16 values are held as float, exactly
rounded where the IR rounds. Names that differ between languages (`expf`, `exp`,
`mbc_expf`) are a prefix and a suffix on the target; what no language has is a macro
of every target's prelude (`mbc_maximum`, MBC_INF).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mbc.codegen.targets import Target
from mbc.errors import InvalidInput
from mbc.ir.scalars import constant_value
from mbc.ir.types import element_of, is_float, is_tensor

FORMATS = {
    "arith.addf": "{0} + {1}",
    "arith.subf": "{0} - {1}",
    "arith.mulf": "{0} * {1}",
    "arith.divf": "{0} / {1}",
    "arith.negf": "-{0}",
    "arith.maximumf": "mbc_maximum({0}, {1})",
    "arith.minimumf": "mbc_minimum({0}, {1})",
    "arith.maxnumf": "mbc_maxnum({0}, {1})",
    "arith.minnumf": "mbc_minnum({0}, {1})",
    "arith.addi": "{0} + {1}",
    "arith.subi": "{0} - {1}",
    "arith.muli": "{0} * {1}",
    "arith.divsi": "mbc_divide({0}, {1})",
    "arith.floordivsi": "mbc_floor_divide({0}, {1})",
    "arith.remsi": "mbc_remainder({0}, {1})",
    "arith.divui": "({u}){0} / ({u}){1}",
    "arith.remui": "({u}){0} % ({u}){1}",
    "arith.maxsi": "{0} > {1} ? {0} : {1}",
    "arith.minsi": "{0} < {1} ? {0} : {1}",
    "arith.maxui": "({u}){0} > ({u}){1} ? {0} : {1}",
    "arith.minui": "({u}){0} < ({u}){1} ? {0} : {1}",
    "arith.andi": "{0} & {1}",
    "arith.ori": "{0} | {1}",
    "arith.xori": "{0} ^ {1}",
    "arith.shli": "{0} << {1}",
    "arith.shrsi": "{0} >> {1}",
    "arith.shrui": "({u}){0} >> {1}",
    "arith.select": "{0} ? {1} : {2}",
    "arith.index_cast": "({t}){0}",
    "arith.sitofp": "({t}){0}",
    "arith.extsi": "({t}){0}",
    "arith.fptosi": "({t}){0}",
    "arith.extf": "({t}){0}",
    "math.rsqrt": "({t})1 / {sqrt}({0})",
    "math.absi": "{0} < 0 ? -{0} : {0}",
}
"""{0} {1} {2} are operands, {t} the result's C type, {u} its unsigned counterpart."""

WRAPPING = {
    "arith.addi": "({t})(({u}){0} + ({u}){1})",
    "arith.subi": "({t})(({u}){0} - ({u}){1})",
    "arith.muli": "({t})(({u}){0} * ({u}){1})",
}
"""Of i32 and i64: the signed operators of C may do anything where they overflow."""

FUNCTIONS = {
    "arith.remf": "fmod",
    "math.absf": "fabs",
    "math.acos": "acos",
    "math.acosh": "acosh",
    "math.asin": "asin",
    "math.asinh": "asinh",
    "math.atan": "atan",
    "math.atan2": "atan2",
    "math.atanh": "atanh",
    "math.ceil": "ceil",
    "math.copysign": "copysign",
    "math.cos": "cos",
    "math.cosh": "cosh",
    "math.erf": "erf",
    "math.exp": "exp",
    "math.exp2": "exp2",
    "math.expm1": "expm1",
    "math.floor": "floor",
    "math.fma": "fma",
    "math.log": "log",
    "math.log10": "log10",
    "math.log1p": "log1p",
    "math.log2": "log2",
    "math.powf": "pow",
    "math.round": "round",
    "math.roundeven": "rint",
    "math.sin": "sin",
    "math.sinh": "sinh",
    "math.sqrt": "sqrt",
    "math.tan": "tan",
    "math.tanh": "tanh",
    "math.trunc": "trunc",
}

CMPF = (
    "0",
    "==",
    ">",
    ">=",
    "<",
    "<=",
    "<>",
    "ord",
    "u==",
    "u>",
    "u>=",
    "u<",
    "u<=",
    "!=",
    "uno",
    "1",
)
CMPI = ("==", "!=", "<", "<=", ">", ">=", "u<", "u<=", "u>", "u>=")
OPPOSITE = {"==": "<>", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}

UNSIGNED = {
    "i8": "unsigned char",
    "i16": "unsigned short",
    "i32": "unsigned int",
    "i64": "unsigned long",
    "index": "unsigned long",
    "i1": "int",
}


def float_literal(value: float, dtype: str) -> str:
    """Shortest decimal that reads back to the same f32 (or f64) value."""
    if math.isnan(value):
        return "MBC_NAN"
    if math.isinf(value):
        return "MBC_INF" if value > 0 else "-MBC_INF"
    text = repr(value) if dtype == "f64" else str(np.float32(value))
    if "." not in text and "e" not in text:
        text += ".0"
    return text if dtype == "f64" else text + "f"


def integer_literal(value: int, dtype: str) -> str:
    if dtype in ("i64", "index"):
        if value == -(2**63):
            return "(-9223372036854775807L - 1)"
        return f"{value}L" if abs(value) > 2**31 - 1 else str(value)
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)


def number_literal(value: float, element: Attribute) -> str:
    """The text of a number of an element type."""
    dtype = str(element)
    is_real = is_float(element)
    return (
        float_literal(value, dtype) if is_real else integer_literal(int(value), dtype)
    )


def literal(op: arith.ConstantOp) -> str:
    """The text of a scalar constant."""
    match op.value:
        case FloatAttr() as number:
            return float_literal(number.value.data, str(number.type))
        case IntegerAttr() as number if str(number.type) == "i1":
            return "1" if number.value.data else "0"
        case IntegerAttr() as number:
            return integer_literal(number.value.data, str(number.type))
        case _:
            raise InvalidInput(f"constant {op.value} in a loop body is not a scalar")


def _text_of(value: SSAValue, texts: Mapping[SSAValue, str]) -> str:
    """A local, a constant from outside the body, or nothing for a whole tensor."""
    if value in texts:
        return texts[value]
    if is_tensor(value.type):
        return ""
    if isinstance(value.owner, arith.ConstantOp):
        return literal(value.owner)
    raise InvalidInput("a loop body reads a scalar that is computed outside of it")


def element_literals(op: arith.ConstantOp) -> list[str]:
    """The texts of a tensor constant's elements in row-major order."""
    values = constant_value(op)
    dtype = str(element_of(op.result))
    if values.dtype.kind in "fV":
        return [float_literal(float(v), dtype) for v in values.ravel()]
    return [integer_literal(int(v), dtype) for v in values.ravel()]


def splat_literal(op: arith.ConstantOp) -> str | None:
    """The one value of a tensor constant, where it has one."""
    texts = set(element_literals(op)) if is_tensor(op.result.type) else {literal(op)}
    return texts.pop() if len(texts) == 1 else None


def local_type(element: Attribute, target: Target) -> str:
    """C type that a value is held in between its load and its store."""
    name = str(element)
    if name == "i1":
        return "int"
    return "float" if name in ("f16", "bf16") else target.types[name]


def load_text(dtype: str, pointer: str, index: str) -> str:
    """An element of a buffer as a local value."""
    if dtype in ("f16", "bf16"):
        return f"mbc_load_{dtype}({pointer}, {index})"
    suffix = " != 0" if dtype == "i1" else ""
    return f"{pointer}[{index}]{suffix}"


def store_text(dtype: str, pointer: str, index: str, value: str) -> str:
    """The statement that stores a local value, without the semicolon."""
    if dtype in ("f16", "bf16"):
        return f"mbc_store_{dtype}({pointer}, {index}, {value})"
    return f"{pointer}[{index}] = {value}"


@dataclass(frozen=True)
class Printed:
    """Statements, one per line without indentation, and the texts of the results."""

    lines: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True)
class ScalarPrinter:
    """Prints bodies in the scalar C of `target`.

    `indices` are the texts of `linalg.index`; `elements` turns a `tensor.extract` of a
    value at index texts into an expression.
    """

    target: Target
    indices: Sequence[str] = ()
    elements: Callable[[SSAValue, Sequence[str]], str] | None = None

    def body(
        self, block: Block, arguments: Sequence[str], prefix: str = "t"
    ) -> Printed:
        """`arguments` are texts of the block's arguments; locals are prefix0, ..."""
        texts: dict[SSAValue, str] = dict(zip(block.args, arguments, strict=True))
        lines: list[str] = []
        for op in block.ops:
            operands = [_text_of(value, texts) for value in op.operands]
            if isinstance(op, linalg.YieldOp):
                return Printed(tuple(lines), tuple(operands))
            result = op.results[0]
            if isinstance(op, arith.ConstantOp):
                texts[result] = literal(op)
                continue
            name = f"{prefix}{len(lines)}"
            type = local_type(result.type, self.target)
            lines.append(f"const {type} {name} = {self.expression(op, operands)};")
            texts[result] = name
        raise InvalidInput("a loop body has no terminator")

    def expression(self, op: Operation, operands: Sequence[str]) -> str:
        match op:
            case linalg.IndexOp():
                return self.indices[op.dim.value.data]
            case tensor_dialect.ExtractOp():
                assert self.elements is not None
                return self.elements(op.tensor, operands[1:])
            case arith.CmpfOp():
                return compare_floats(CMPF[op.predicate.value.data], *operands)
            case arith.CmpiOp():
                unsigned = UNSIGNED[str(op.operands[0].type)]
                return compare_integers(
                    CMPI[op.predicate.value.data], unsigned, *operands
                )
            case _:
                return self.formatted(op, operands)

    def formatted(self, op: Operation, operands: Sequence[str]) -> str:
        result = str(op.results[0].type)
        special = CASTS.get(op.name)
        if special is not None:
            text = special(str(op.operands[0].type), result)
        elif op.name in FUNCTIONS:
            text = self.function(FUNCTIONS[op.name], result) + _call(len(operands))
        elif op.name in ("arith.addi", "arith.subi", "arith.muli") and result == "i1":
            text = "{0} & {1}" if op.name == "arith.muli" else "{0} ^ {1}"
        elif op.name in WRAPPING and result in ("i32", "i64"):
            text = WRAPPING[op.name]
        elif op.name in FORMATS:
            text = FORMATS[op.name]
        else:
            raise InvalidInput(
                f"'{op.name}' has no spelling on target '{self.target.name}'"
            )
        return text.format(
            *operands,
            t=local_type(op.results[0].type, self.target),
            u=UNSIGNED.get(str(op.operands[0].type), ""),
            sqrt=self.function("sqrt", result),
        )

    def function(self, base: str, dtype: str) -> str:
        if base in self.target.own_functions:
            return f"mbc_{base}"
        suffix = "" if dtype == "f64" else self.target.float_suffix
        return f"{self.target.function_prefix}{base}{suffix}"


def _call(arity: int) -> str:
    return "(" + ", ".join("{" + str(i) + "}" for i in range(arity)) + ")"


def _extui(source: str, result: str) -> str:
    return "({t}){0}" if source == "i1" else "({t})({u}){0}"


def _trunci(source: str, result: str) -> str:
    return "{0} & 1" if result == "i1" else "({t}){0}"


def _truncf(source: str, result: str) -> str:
    return f"mbc_round_{result}({{0}})" if result in ("f16", "bf16") else "({t}){0}"


def _extsi(source: str, result: str) -> str:
    return "-({t}){0}" if source == "i1" else "({t}){0}"


def _bitcast(source: str, result: str) -> str:
    return f"mbc_bitcast_{source}_{result}({{0}})"


CASTS: Mapping[str, Callable[[str, str], str]] = {
    "arith.extui": _extui,
    "arith.uitofp": _extui,
    "arith.fptoui": lambda source, result: "({t}){0}",
    "arith.trunci": _trunci,
    "arith.truncf": _truncf,
    "arith.extsi": _extsi,
    "arith.bitcast": _bitcast,
}


def compare_floats(kind: str, a: str, b: str) -> str:
    """Ordered comparisons are C's own; unordered ones are their opposites."""
    match kind:
        case "0" | "1":
            return kind
        case "ord":
            return f"{a} == {a} && {b} == {b}"
        case "uno":
            return f"{a} != {a} || {b} != {b}"
        case "<>":
            return f"{a} < {b} || {a} > {b}"
        case "u==":
            return f"!({a} < {b} || {a} > {b})"
        case "u>" | "u>=" | "u<" | "u<=":
            return f"!({a} {OPPOSITE[kind[1:]]} {b})"
        case _:
            return f"{a} {kind} {b}"


def compare_integers(kind: str, unsigned: str, a: str, b: str) -> str:
    if kind.startswith("u"):
        return f"({unsigned}){a} {kind[1:]} ({unsigned}){b}"
    return f"{a} {kind} {b}"
