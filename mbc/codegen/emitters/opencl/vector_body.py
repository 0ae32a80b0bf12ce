"""Bodies over floatN: what `ScalarPrinter` is for scalars, for N lanes at a time.

A value is either one per lane (floatN; comparisons are intN of 0 and -1) or uniform
(float; int of 0 and 1). Arithmetic mixes both as OpenCL C does; where the language
wants vectors, uniform operands are spread. Width 1 is plain scalar code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue

from mbc.codegen.expression import CMPF, FORMATS, FUNCTIONS, compare_floats, literal
from mbc.codegen.targets.opencl import OPENCL
from mbc.errors import InvalidInput

MIXES = frozenset({"arith.addf", "arith.subf", "arith.mulf", "arith.divf"})
"""Ops whose operands may be a vector and a scalar; so may those of comparisons."""

BINARY = frozenset({"arith.remf", "math.atan2", "math.copysign", "math.powf"})


def _call(op: str, base: str) -> str:
    name = f"mbc_{base}" if base in OPENCL.own_functions else base
    return f"{name}({{0}}, {{1}})" if op in BINARY else f"{name}({{0}})"


SPELLINGS = {
    **FORMATS,
    **{op: _call(op, base) for op, base in FUNCTIONS.items()},
    "math.fma": "mbc_fma({0}, {1}, {2})",
    "math.rsqrt": "rsqrt({0})",
}


WIDE = {"math.erf": "mbc_erf{width}({0})"}
"""Of vectors, where a CPU runtime's own function takes twice the time."""


@dataclass(frozen=True)
class Value:
    """The text of a value and whether it is the same in all lanes."""

    text: str
    uniform: bool = False


@dataclass(frozen=True)
class PrintedVectors:
    lines: tuple[str, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True)
class VectorPrinter:
    """Prints bodies of vector ops (`families.vectors`) for `width` lanes."""

    width: int

    def type(self, scalar: str) -> str:
        return scalar if self.width == 1 else f"{scalar}{self.width}"

    def spread(self, value: Value, boolean: bool = False) -> str:
        """The text of `value` as a vector."""
        if self.width == 1 or not value.uniform:
            return value.text
        if boolean:
            return f"({self.type('int')})(-({value.text}))"
        return f"({self.type('float')})({value.text})"

    def body(
        self, block: Block, arguments: Sequence[Value], prefix: str
    ) -> PrintedVectors:
        """`arguments` stand for the inputs; locals are prefix0, prefix1, ..."""
        values: dict[SSAValue, Value] = dict(zip(block.args, arguments, strict=False))
        lines: list[str] = []
        for op in block.ops:
            if isinstance(op, linalg.YieldOp):
                results = tuple(values[v] for v in op.operands)
                return PrintedVectors(tuple(lines), results)
            if isinstance(op, arith.ConstantOp):
                values[op.result] = _constant(op)
                continue
            operands = [values[v] for v in op.operands]
            if isinstance(op, arith.ExtFOp | arith.TruncFOp):
                values[op.result] = operands[0]  # loads and stores convert
                continue
            uniform = all(value.uniform for value in operands)
            scalar = "int" if str(op.results[0].type) == "i1" else "float"
            type = scalar if uniform else self.type(scalar)
            name = f"{prefix}{len(lines)}"
            lines.append(f"const {type} {name} = {self.expression(op, operands)};")
            values[op.results[0]] = Value(name, uniform)
        raise InvalidInput("a loop body has no terminator")

    def expression(self, op: Operation, operands: Sequence[Value]) -> str:
        texts = self._operand_texts(op, operands)
        if isinstance(op, arith.CmpfOp):
            return self._compare(CMPF[op.predicate.value.data], operands, texts)
        if op.name not in SPELLINGS:
            raise InvalidInput(f"'{op.name}' has no vector spelling in OpenCL C")
        spelling = SPELLINGS[op.name]
        if self.width > 1 and not all(value.uniform for value in operands):
            spelling = WIDE.get(op.name, spelling)
        return spelling.format(*texts, width=self.width)

    def _operand_texts(self, op: Operation, operands: Sequence[Value]) -> list[str]:
        mixes = op.name in MIXES or isinstance(op, arith.CmpfOp)
        if mixes or all(value.uniform for value in operands):
            return [value.text for value in operands]
        return [
            self.spread(value, str(operand.type) == "i1")
            for value, operand in zip(operands, op.operands, strict=True)
        ]

    def _compare(self, kind: str, operands: Sequence[Value], texts: list[str]) -> str:
        if kind not in ("0", "1"):
            return compare_floats(kind, *texts)
        uniform = all(value.uniform for value in operands)
        return kind if uniform else self.spread(Value(kind, True), boolean=True)


def _constant(op: arith.ConstantOp) -> Value:
    text = literal(op)
    return Value(f"({text})" if text.startswith("-") else text, uniform=True)
