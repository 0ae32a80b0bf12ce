"""Stages of `linalg.generic` and of other structured ops of linalg."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from mbc.codegen.expression import (
    ScalarPrinter,
    literal,
    load_text,
    local_type,
    splat_literal,
    store_text,
)
from mbc.codegen.nest.stage import (
    Stage,
    Storage,
    flat_index,
    for_loops,
    loop_names,
    parenthesized,
)
from mbc.errors import InvalidInput
from mbc.ir.structured import iterators_of, loop_extents, maps_of
from mbc.ir.types import element_of, shape_of

OPERATORS = {AffineBinaryOpKind.Add: "+", AffineBinaryOpKind.Mul: "*"}


def affine_text(expr: AffineExpr, names: Sequence[str]) -> str:
    """An affine expression in C; loops start at 0, so div and mod are C's own."""
    match expr:
        case AffineDimExpr():
            return names[expr.position]
        case AffineConstantExpr():
            return str(expr.value)
        case AffineBinaryOpExpr():
            a, b = (affine_text(side, names) for side in (expr.lhs, expr.rhs))
            kind = expr.kind
            if kind in OPERATORS:
                return f"{_factor(a, kind)} {OPERATORS[kind]} {_factor(b, kind)}"
            operator = "%" if kind == AffineBinaryOpKind.Mod else "/"
            return f"{parenthesized(a)} {operator} {parenthesized(b)}"
        case _:
            raise InvalidInput(f"index expression {expr} is not supported")


def _factor(text: str, kind: AffineBinaryOpKind) -> str:
    plain = kind == AffineBinaryOpKind.Add and not text.startswith("-")
    return text if plain else parenthesized(text)


def element_index(map: AffineMap, shape: Sequence[int], names: Sequence[str]) -> str:
    return flat_index([affine_text(e, names) for e in map.results], shape)


def structured_stage(op: LinalgStructuredOperation, storage: Storage) -> Stage:
    """Parallel loops outside, reduction loops inside around local accumulators."""
    extents, kinds = loop_extents(op), iterators_of(op)
    names = loop_names(len(extents))
    parallel = [(n, e) for n, e, k in zip(names, extents, kinds) if k == "parallel"]
    reduced = [(n, e) for n, e, k in zip(names, extents, kinds) if k != "parallel"]
    results = list(op.results)
    accumulators = [f"sum{i}" for i in range(len(results))]
    loads = _loads(op, storage, names)
    arguments = [f"x{i}" for i in range(len(op.inputs))]
    inits = (
        accumulators if reduced else [_init(v, storage, op, names) for v in op.outputs]
    )
    printed = _printer(op, storage, names).body(op.body.block, [*arguments, *inits])
    inner = [*loads, *printed.lines]
    stores = _stores(op, storage, names, accumulators if reduced else printed.results)
    if reduced:
        updates = zip(accumulators, printed.results, strict=True)
        inner += _assignments(list(updates))
        inner = [
            *_declare(op, storage, names, accumulators),
            *for_loops(reduced, inner),
        ]
    return Stage(
        _comment(op, kinds),
        tuple(parallel),
        (*inner, *stores),
        _buffers(op, storage),
    )


def _comment(op: Operation, kinds: Sequence[str]) -> str:
    what = "reduction" if "reduction" in kinds else "elementwise"
    return f"{what} ({op.name})"


def _loads(
    op: LinalgStructuredOperation, storage: Storage, names: Sequence[str]
) -> list[str]:
    """One local per input that the body reads."""
    lines: list[str] = []
    for position, (value, map) in enumerate(zip(op.inputs, maps_of(op))):
        if not list(op.body.block.args[position].uses):
            continue
        index = element_index(map, shape_of(value), names)
        text = load_text(str(element_of(value)), storage.name(value), index)
        type = local_type(element_of(value), storage.target)
        lines.append(f"const {type} x{position} = {text};")
    return lines


def _init(
    value: SSAValue,
    storage: Storage,
    op: LinalgStructuredOperation,
    names: Sequence[str],
) -> str:
    """The initial value of an output: a constant, a load, or unused."""
    constant = constant_fill(value)
    if constant is not None:
        return constant
    if isinstance(value.owner, tensor_dialect.EmptyOp):
        return "0"
    position = list(op.outputs).index(value)
    map = maps_of(op)[len(op.inputs) + position]
    index = element_index(map, shape_of(value), names)
    return load_text(str(element_of(value)), storage.name(value), index)


def constant_fill(value: SSAValue) -> str | None:
    """The literal of a tensor that holds one constant everywhere."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        return splat_literal(owner)
    if isinstance(owner, linalg.FillOp):
        source = owner.inputs[0].owner
        return literal(source) if isinstance(source, arith.ConstantOp) else None
    if not isinstance(owner, linalg.GenericOp) or owner.inputs:
        return None
    ops = list(owner.body.block.ops)
    simple = len(ops) == 2 and isinstance(ops[0], arith.ConstantOp)
    return literal(ops[0]) if simple and isinstance(ops[0], arith.ConstantOp) else None


def _declare(
    op: LinalgStructuredOperation,
    storage: Storage,
    names: Sequence[str],
    accumulators: Sequence[str],
) -> list[str]:
    lines: list[str] = []
    for name, value in zip(accumulators, op.outputs, strict=True):
        type = local_type(element_of(value), storage.target)
        lines.append(f"{type} {name} = {_init(value, storage, op, names)};")
    return lines


def _assignments(updates: Sequence[tuple[str, str]]) -> list[str]:
    """All results are computed before any accumulator changes."""
    return [f"{name} = {value};" for name, value in updates if name != value]


def _stores(
    op: LinalgStructuredOperation,
    storage: Storage,
    names: Sequence[str],
    values: Sequence[str],
) -> list[str]:
    lines: list[str] = []
    maps = maps_of(op)[len(op.inputs) :]
    for result, map, text in zip(op.results, maps, values, strict=True):
        index = element_index(map, shape_of(result), names)
        dtype = str(element_of(result))
        lines.append(store_text(dtype, storage.name(result), index, text) + ";")
    return lines


def _printer(
    op: LinalgStructuredOperation, storage: Storage, names: Sequence[str]
) -> ScalarPrinter:
    def element(value: SSAValue, indices: Sequence[str]) -> str:
        index = flat_index([parenthesized(i) for i in indices], shape_of(value))
        return load_text(str(element_of(value)), storage.name(value), index)

    return ScalarPrinter(storage.target, names, element)


def _buffers(op: LinalgStructuredOperation, storage: Storage) -> tuple[str, ...]:
    values = [v for v in op.inputs if v in storage.names]
    values += [v for v in op.outputs if v in storage.names and constant_fill(v) is None]
    values += [
        nested.tensor
        for nested in op.body.block.ops
        if isinstance(nested, tensor_dialect.ExtractOp)
    ]
    values += list(op.results)
    return tuple(dict.fromkeys(storage.name(value) for value in values))
