"""A part of a function as a module of its own: what a pass does there can be seen."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Block, Operation, Region, SSAValue

from mbc.ir.execute import function_named
from mbc.ir.kernel import KernelOp, source_of


def slice_module(module: ModuleOp, end: Operation, depth: int) -> ModuleOp:
    """@forward as `end` and what it needs, `depth` producers far.

    What lies further up becomes an argument. Constants and empty tensors always come
    along. Arguments of @forward keep their attributes; others are inputs v0, v1, ...
    """
    function = function_named(module, "forward")
    taken = _taken(end, depth)
    ops = [op for op in function.body.block.ops if op in taken]
    inside = {result for op in ops for result in op.results}
    needed = dict.fromkeys(v for op in ops for v in _read(op) if v not in inside)
    block = Block(arg_types=[value.type for value in needed])
    mapped: dict[SSAValue, SSAValue] = dict(zip(needed, block.args, strict=True))
    for op in ops:
        block.add_op(op.clone(mapped))
    results = [mapped[v] for v in end.results if isinstance(v.type, TensorType)]
    block.add_op(func.ReturnOp(*results))
    sliced = func.FuncOp(
        "forward",
        ([a.type for a in block.args], [r.type for r in results]),
        Region(block),
        arg_attrs=ArrayAttr(_attributes(function, list(needed))),
    )
    own = ModuleOp([*_sources(module, ops), sliced])
    own.attributes.update(module.attributes)
    return own


def _taken(end: Operation, depth: int) -> set[Operation]:
    taken, edge = {end}, [end]
    for _ in range(depth):
        owners = [v.owner for op in edge for v in _read(op)]
        edge = [o for o in owners if isinstance(o, Operation) and o not in taken]
        taken.update(edge)
    # Ops that read nothing cost nothing to take.
    for op in list(taken):
        owners = [v.owner for v in _read(op)]
        taken.update(o for o in owners if isinstance(o, Operation) and not _read(o))
    return taken


def _read(op: Operation) -> list[SSAValue]:
    """Every value of the function that an op or its regions use."""
    if isinstance(op, KernelOp):
        return list(op.operands)
    own = {result for inner in op.walk() for result in inner.results}
    own |= {
        a
        for inner in op.walk()
        for r in inner.regions
        for b in r.blocks
        for a in b.args
    }
    read = [operand for inner in op.walk() for operand in inner.operands]
    return [value for value in read if value not in own]


def _attributes(
    function: func.FuncOp, needed: Sequence[SSAValue]
) -> list[DictionaryAttr]:
    known: dict[SSAValue, DictionaryAttr] = {
        arg: entry
        for arg, entry in zip(function.body.block.args, function.arg_attrs or ())
        if entry.data
    }
    return [
        known.get(value, DictionaryAttr({"mbc.input": StringAttr(f"v{index}")}))
        for index, value in enumerate(needed)
    ]


def _sources(module: ModuleOp, ops: Sequence[Operation]) -> list[Operation]:
    kernels = [op for op in ops if isinstance(op, KernelOp) and op.source is not None]
    return [source_of(module, kernel).clone() for kernel in kernels]
