"""Making, joining and replacing kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue

from mbc.ir.kernel import KernelOp, YieldOp, kernels
from mbc.passes.support.inline import Rule, combine, is_map
from mbc.passes.support.ops import is_fill, is_init, is_local, needs


def next_number(module: ModuleOp) -> int:
    """The first n for which no kernel is or was labelled `k<n>`."""
    labels = [k.label.data for k in kernels(module)]
    labels += [origin for k in kernels(module) for origin in k.origin_labels()]
    heads = [label.removeprefix("k").split("_")[0] for label in labels]
    return 1 + max((int(head) for head in heads if head.isdigit()), default=-1)


def kernel_around(op: Operation, label: str) -> KernelOp:
    """A detached kernel that computes `op` from what it needs."""
    local = _local_needs(op)
    known = {result for inner in local for result in inner.results}
    ins = [v for inner in (*local, op) for v in needs(inner) if v not in known]
    ins = list(dict.fromkeys(ins))
    block = Block(arg_types=[value.type for value in ins])
    mapper: dict[SSAValue, SSAValue] = dict(zip(ins, block.args))
    for inner in (*local, op):
        block.add_op(inner.clone(mapper))
    block.add_op(YieldOp(*(mapper[result] for result in op.results)))
    return KernelOp(label, ins, list(op.result_types), Region(block))


def _local_needs(op: Operation) -> list[Operation]:
    """Constants, empty tensors and filled inits behind an op, in order."""
    found: dict[Operation, None] = {}

    def visit(user: Operation) -> None:
        for value in needs(user):
            owner = value.owner
            if not isinstance(owner, Operation) or owner in found:
                continue
            if is_local(owner) or (is_fill(owner) and _is_only_init(user, value)):
                visit(owner)
                found[owner] = None

    visit(op)
    return list(found)


def _is_only_init(user: Operation, value: SSAValue) -> bool:
    return all(
        is_init(user, position)
        for position, operand in enumerate(user.operands)
        if operand is value
    )


def map_of(kernel: KernelOp) -> linalg.GenericOp | None:
    """The elementwise generic that is all a kernel computes."""
    ops = [op for op in kernel.ops() if not isinstance(op, tensor.EmptyOp)]
    if len(ops) != 1 or not isinstance(ops[0], linalg.GenericOp) or not is_map(ops[0]):
        return None
    return ops[0]


@dataclass(frozen=True)
class Joined:
    """A detached kernel, and the values that its results stand for."""

    kernel: KernelOp
    replaced: tuple[SSAValue, ...]

    def discard(self) -> None:
        self.kernel.erase()


def join(producer: KernelOp, consumer: KernelOp, rule: Rule) -> Joined:
    """Both bodies in one kernel, with maps combined as far as `rule` allows.

    The consumer's label stays. Results of the producer that others use are results
    of the joined kernel, behind the consumer's.
    """
    made = set(producer.outs)
    ins = [*producer.ins, *(v for v in consumer.ins if v not in made)]
    ins = list(dict.fromkeys(ins))
    block = Block(arg_types=[value.type for value in ins])
    outer: dict[SSAValue, SSAValue] = dict(zip(ins, block.args))
    for kernel in (producer, consumer):
        _copy_body(kernel, block, outer)
    kept = [out for out in producer.outs if _used_besides(out, consumer)]
    replaced = (*consumer.outs, *kept)
    block.add_op(YieldOp(*(outer[value] for value in replaced)))
    combine(block, rule)
    origins = [*consumer.origin_labels(), *producer.origin_labels()]
    kernel = KernelOp(
        consumer.label.data,
        ins,
        [value.type for value in replaced],
        Region(block),
        [*origins, producer.label.data],
    )
    return Joined(kernel, replaced)


def spread(kernel: KernelOp) -> list[Operation]:
    """Put the ops of a kernel where it stands; the inverse of forming it."""
    block = kernel.parent
    assert block is not None
    mapper: dict[SSAValue, SSAValue] = dict(zip(kernel.block.args, kernel.ins))
    ops = [op.clone(mapper) for op in kernel.ops()]
    block.insert_ops_before(ops, kernel)
    for out, value in zip(kernel.outs, kernel.terminator.values, strict=True):
        out.replace_all_uses_with(mapper[value])
    erase([kernel])
    return ops


def _copy_body(kernel: KernelOp, block: Block, outer: dict[SSAValue, SSAValue]) -> None:
    mapper: dict[SSAValue, SSAValue] = {
        arg: outer[value] for arg, value in zip(kernel.block.args, kernel.ins)
    }
    for op in kernel.ops():
        block.add_op(op.clone(mapper))
    results = kernel.terminator.values
    outer.update((out, mapper[v]) for out, v in zip(kernel.outs, results))


def _used_besides(value: SSAValue, user: Operation) -> bool:
    return any(use.operation is not user for use in value.uses)


def put(joined: Joined, producer: KernelOp, consumer: KernelOp) -> None:
    """Replace both kernels by the joined one, where the consumer stood."""
    block = consumer.parent
    assert block is not None
    block.insert_op_before(joined.kernel, consumer)
    for old, new in zip(joined.replaced, joined.kernel.outs, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    erase([consumer, producer])


def erase(ops: Sequence[Operation]) -> None:
    for op in ops:
        op.detach()
        op.erase()
