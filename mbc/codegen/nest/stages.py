"""From a decomposed kernel body to stages, and where every value is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue

from mbc.codegen.nest import moves, named, orders, recurrences
from mbc.codegen.nest.stage import Stage, Storage
from mbc.codegen.nest.structured import constant_fill, structured_stage
from mbc.codegen.targets import Target
from mbc.errors import InvalidInput
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.pack import PackOp
from mbc.ir.ops.recurrent import RecurrentOp
from mbc.ir.ops.scan import ScanOp
from mbc.ir.ops.scatter import ScatterOp
from mbc.ir.ops.sort import SortOp
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.types import is_tensor

STAGES: dict[type[Operation], Callable[[Any, Storage], list[Stage]]] = {
    arith.ConstantOp: moves.constant_stages,
    PackOp: moves.pack_stages,
    RecurrentOp: recurrences.recurrent_stages,
    ScanOp: named.scan_stages,
    ScatterOp: orders.scatter_stages,
    SortOp: orders.sort_stages,
    UnpackOp: moves.unpack_stages,
    linalg.BroadcastOp: moves.broadcast_stages,
    linalg.FillOp: moves.fill_stages,
    linalg.TransposeOp: moves.transpose_stages,
    tensor_dialect.ConcatOp: moves.concat_stages,
    tensor_dialect.ExtractSliceOp: moves.extract_slice_stages,
    tensor_dialect.InsertSliceOp: moves.insert_slice_stages,
    tensor_dialect.PadOp: moves.pad_stages,
}

VIEWS = (
    tensor_dialect.CollapseShapeOp,
    tensor_dialect.ExpandShapeOp,
    tensor_dialect.CastOp,
)
IGNORED = (tensor_dialect.EmptyOp,)


@dataclass(frozen=True)
class Staged:
    """Stages in order, and the values that live in scratch, s0 first."""

    stages: tuple[Stage, ...]
    scratch: tuple[SSAValue, ...]


def stages_of(body: KernelOp, target: Target) -> Staged:
    """The stages of a kernel whose named ops are decomposed where they can be."""
    names, scratch = _storage(body)
    storage = Storage(target, names)
    stages: list[Stage] = []
    for op in body.ops():
        if isinstance(op, VIEWS) or _needs_no_storage(op):
            continue
        stages += _stages(op, storage)
    for index, value in enumerate(body.terminator.values):
        if names[value] != f"r{index}":
            stages.append(moves.copy_stage(value, f"r{index}", storage))
    return Staged(tuple(stages), tuple(scratch))


def _stages(op: Operation, storage: Storage) -> list[Stage]:
    for kind, build in STAGES.items():
        if isinstance(op, kind):
            return build(op, storage)
    if isinstance(op, LinalgStructuredOperation):
        return [structured_stage(op, storage)]
    raise InvalidInput(f"'{op.name}' in a kernel has no loop nest")


def _needs_no_storage(op: Operation) -> bool:
    scalar = isinstance(op, arith.ConstantOp) and not is_tensor(op.result.type)
    return scalar or isinstance(op, IGNORED) or _inlined(op)


def _inlined(op: Operation) -> bool:
    """A constant tensor that only ever starts reductions needs no loop of its own."""
    if len(op.results) != 1 or constant_fill(op.results[0]) is None:
        return False
    return all(
        isinstance(use.operation, linalg.GenericOp)
        and use.index >= len(use.operation.inputs)
        for use in op.results[0].uses
    )


def root(value: SSAValue) -> SSAValue:
    """The value whose storage a view shares."""
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return value


def _storage(body: KernelOp) -> tuple[dict[SSAValue, str], list[SSAValue]]:
    names: dict[SSAValue, str] = {arg: f"a{i}" for i, arg in enumerate(body.block.args)}
    for index, value in enumerate(body.terminator.values):
        names.setdefault(root(value), f"r{index}")
    scratch: list[SSAValue] = []
    for op in body.ops():
        if _needs_no_storage(op):
            continue
        for result in op.results:
            source = root(result)
            if source not in names:
                names[source] = f"s{len(scratch)}"
                scratch.append(source)
            names[result] = names[source]
    return names, scratch
