"""Bodies of elementwise generics as vector intrinsics at one LMUL.

Values that are the same for all lanes (constants, broadcast operands) stay scalar C:
they enter vector instructions as scalar operands, and ops between them are scalar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue

from mbc.codegen.emitters.rvv.headers import VECTOR_FUNCTIONS, vector_header
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.expression import CMPF, FUNCTIONS, ScalarPrinter, literal, local_type
from mbc.codegen.targets import Target
from mbc.errors import InvalidInput

SIMPLE = {
    "arith.negf": "vfneg",
    "math.absf": "vfabs",
    "math.sqrt": "vfsqrt",
}
PAIRS = {
    "arith.maxnumf": "vfmax",
    "arith.minnumf": "vfmin",
    "math.copysign": "vfsgnj",
}
"""Instructions of a vector and a vector or scalar."""

CALLS = {op: name for op, name in FUNCTIONS.items() if name in VECTOR_FUNCTIONS} | {
    "math.rsqrt": "rsqrt"
}

COMPARES = {
    "==": "vmfeq",
    "!=": "vmfne",
    "<": "vmflt",
    "<=": "vmfle",
    ">": "vmfgt",
    ">=": "vmfge",
}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
COMPLEMENT = {"u>": "<=", "u>=": "<", "u<": ">=", "u<=": ">", "u==": "<>"}
LOGIC = {"arith.andi": "vmand", "arith.ori": "vmor", "arith.xori": "vmxor"}


@dataclass
class VectorPrinter:
    """Prints one body after another; `lines` and `headers` collect what they need."""

    target: Target
    vectors: Vectors
    lines: list[str] = field(default_factory=list[str])
    headers: set[str] = field(default_factory=set[str])
    used: int = 0
    """Locals that bodies have declared so far."""

    def declare(self, name: str, vector: str) -> None:
        self.lines.append(f"const {self.vectors.type} {name} = {vector};")

    def body(
        self, block: Block, arguments: Sequence[Value], suffix: str = ""
    ) -> tuple[Value, ...]:
        """What the block yields; locals are called t0, t1, ... and then `suffix`."""
        table: dict[SSAValue, Value] = dict(zip(block.args, arguments, strict=True))
        fused = _fused_products(block, table)
        for op in block.ops:
            if isinstance(op, linalg.YieldOp):
                return tuple(table[value] for value in op.operands)
            result = op.results[0]
            if isinstance(op, arith.ConstantOp):
                kind = "flag" if str(result.type) == "i1" else "scalar"
                table[result] = Value(literal(op), kind, constant=True)
                continue
            if result in fused:
                continue
            if isinstance(op, arith.ExtFOp | arith.TruncFOp):
                table[result] = table[op.input]  # loads and stores convert
                continue
            table[result] = self._op(op, table, f"t{self.used}{suffix}")
            self.used += 1
        raise InvalidInput("a loop body has no terminator")

    def _op(self, op: Operation, table: dict[SSAValue, Value], name: str) -> Value:
        if all(v in table and table[v].is_uniform for v in op.operands):
            return self._scalar(op, [table[v].text for v in op.operands], name)
        made = self._fused(op, table) or self._vector(
            op, [table[v] for v in op.operands]
        )
        type = self.vectors.type if made.kind == "vector" else self.vectors.mask
        self.lines.append(f"const {type} {name} = {made.text};")
        return Value(name, made.kind)

    def _scalar(self, op: Operation, operands: list[str], name: str) -> Value:
        result = op.results[0].type
        text = ScalarPrinter(self.target).expression(op, operands)
        self.lines.append(f"const {local_type(result, self.target)} {name} = {text};")
        if op.name in FUNCTIONS or op.name == "math.rsqrt":
            self.headers.add("scalar_math")
        return Value(name, "flag" if str(result) == "i1" else "scalar")

    def _fused(self, op: Operation, table: dict[SSAValue, Value]) -> Value | None:
        """An addition with a product that nothing else uses, as one instruction."""
        if op.name not in ("arith.addf", "arith.subf"):
            return None
        for index, value in enumerate(op.operands):
            other = table.get(op.operands[1 - index])
            if value in table and table[value].kind == "product" and other:
                return self.vectors.call("vfmacc", other.text, table[value].text)
            product = value.owner
            if value in table or not isinstance(product, Operation):
                continue
            a, b = sorted(
                (table[v] for v in product.operands), key=lambda v: not v.is_uniform
            )
            addend = table[op.operands[1 - index]].text
            name = "vfmacc"
            if op.name == "arith.subf":
                name = "vfmsac" if index == 0 else "vfnmsac"
            return self.vectors.call(name, addend, a.text, b.text)
        return None

    def _vector(self, op: Operation, operands: list[Value]) -> Value:
        call, name = self.vectors.call, op.name
        if name in SIMPLE:
            return call(SIMPLE[name], operands[0].text)
        if name in PAIRS:
            a, b = operands
            if a.is_uniform and name != "math.copysign":
                a, b = b, a
            return call(PAIRS[name], self.vectors.as_vector(a), b.text)
        if name in CALLS:
            return self.function(CALLS[name], *operands)
        if name in LOGIC:
            return call(LOGIC[name], *self._masks(operands), kind="mask")
        match op:
            case arith.AddfOp() | arith.MulfOp():
                a, b = sorted(operands, key=lambda v: v.is_uniform)
                return call(
                    "vfadd" if name == "arith.addf" else "vfmul", a.text, b.text
                )
            case arith.SubfOp() | arith.DivfOp():
                return self._ordered(
                    "vfsub" if name == "arith.subf" else "vfdiv", *operands
                )
            case arith.MaximumfOp() | arith.MinimumfOp():
                return self._extremum("maximum" in name, *operands)
            case arith.CmpfOp():
                return self._compare(CMPF[op.predicate.value.data], *operands)
            case arith.SelectOp():
                return self._select(*operands)
            case _:
                return self._fma(*operands)

    def _ordered(self, name: str, a: Value, b: Value) -> Value:
        if a.is_uniform:
            reverse = name.replace("vf", "vfr")
            return self.vectors.call(reverse, b.text, a.text)
        return self.vectors.call(name, a.text, b.text)

    def function(self, name: str, *operands: Value) -> Value:
        """A call of a function of the vector_math header."""
        self.headers.add(vector_header(name, self.vectors.lmul))
        texts = [self.vectors.as_vector(v) for v in operands]
        return self.vectors.helper(name, *texts)

    def _extremum(self, largest: bool, a: Value, b: Value) -> Value:
        """Against a constant, a comparison and a merge keep NaN of the other."""
        x, c = (b, a) if a.is_uniform else (a, b)
        if not c.constant or c.text == "MBC_NAN":
            return self.function("maximum" if largest else "minimum", a, b)
        beyond = self.vectors.call("vmflt" if largest else "vmfgt", x.text, c.text)
        return self.vectors.call("vfmerge", x.text, c.text, beyond.text)

    def _compare(self, kind: str, a: Value, b: Value) -> Value:
        if kind in ("0", "1"):
            return Value(self.vectors.flag_mask(kind), "mask")
        if kind in ("ord", "uno"):
            name, join = ("vmfeq", "vmand") if kind == "ord" else ("vmfne", "vmor")
            tests = [self._is_number(name, v) for v in (a, b)]
            return self.vectors.call(join, *tests, kind="mask")
        if kind in COMPLEMENT:
            inside = self._compare(COMPLEMENT[kind], a, b)
            return self.vectors.call("vmnot", inside.text, kind="mask")
        if kind == "<>":
            sides = [self._compare(side, a, b).text for side in "<>"]
            return self.vectors.call("vmor", *sides, kind="mask")
        if a.is_uniform:
            kind, a, b = MIRRORED.get(kind, kind), b, a
        return self.vectors.call(COMPARES[kind], a.text, b.text, kind="mask")

    def _is_number(self, name: str, value: Value) -> str:
        text = self.vectors.as_vector(value)
        return self.vectors.call(name, text, text).text

    def _masks(self, values: Sequence[Value]) -> list[str]:
        return [
            self.vectors.flag_mask(v.text) if v.is_uniform else v.text for v in values
        ]

    def _select(self, condition: Value, yes: Value, no: Value) -> Value:
        (mask,) = self._masks([condition])
        if yes.kind in ("mask", "flag"):
            a, b = self._masks([yes, no])
            chosen = self.vectors.call("vmand", mask, a).text
            other = self.vectors.call("vmandn", b, mask).text
            return self.vectors.call("vmor", chosen, other, kind="mask")
        name = "vfmerge" if yes.is_uniform else "vmerge"
        return self.vectors.call(name, self.vectors.as_vector(no), yes.text, mask)

    def _fma(self, a: Value, b: Value, c: Value) -> Value:
        factor, other = sorted((a, b), key=lambda v: not v.is_uniform)
        if other.is_uniform:
            other = Value(self.vectors.as_vector(other), "vector")
        addend = self.vectors.as_vector(c)
        return self.vectors.call("vfmacc", addend, factor.text, other.text)


def _fused_products(block: Block, table: dict[SSAValue, Value]) -> set[SSAValue]:
    """Products with a single use in a sum that can be one multiply-add.

    Not where the addend is uniform: it would have to be broadcast first.
    """
    uniform = {value for value, known in table.items() if known.is_uniform}
    fused: set[SSAValue] = set()
    for op in block.ops:
        if isinstance(op, linalg.YieldOp):
            break
        if all(value in uniform for value in op.operands):
            uniform.update(op.results)
        if op.name not in ("arith.addf", "arith.subf"):
            continue
        for value, addend in zip(op.operands, reversed(op.operands)):
            if not _is_lone_product(value) or value in uniform or addend in uniform:
                continue
            fused.add(value)
            break
    return fused


def _is_lone_product(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, arith.MulfOp) and len(list(value.uses)) == 1
