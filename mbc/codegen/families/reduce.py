"""reduce: one reduction with elementwise work before and behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import anchored, buffer_names
from mbc.codegen.families.rowwise import row_cost, row_refusal, row_space, row_threads
from mbc.codegen.families.vectors import body_vectorizes
from mbc.codegen.loops import Access, Nest, access, collapse, nest_of, row_major
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.structured import maps_of
from mbc.ir.types import element_of, shape_of

COLUMN_THREADS = 256
"""Of a work group that folds columns."""


@dataclass(frozen=True)
class ReduceMatch(Match):
    """result[o, i] = epilogue(fold over r of prologue(inputs[o, r, i])).

    Accesses of `inputs` have strides over (outer, reduced, inner); those of `extra`
    (epilogue inputs; None is the fold itself) and `out` too, with 0 for reduced.
    Rows are contiguous where `inner` is 1.
    """

    op: ReduceOp
    outer: int
    reduced: int
    inner: int
    prologue: linalg.GenericOp | None
    inputs: tuple[Access, ...]
    epilogue: linalg.GenericOp | None
    extra: tuple[Access | None, ...]
    out: tuple[Access, ...]

    @property
    def kind(self) -> str:
        """sum, mean, prod, max or min."""
        return self.op.str_of("kind")


class ReduceFamily:
    """Knobs as rowwise; `vector` runs along the row where it is contiguous and along
    the columns otherwise. `split` is parts of the reduced loop that are folded side by
    side; where a target has no such knob, its emitter cuts by itself or not at all."""

    def match(self, kernel: KernelOp, target: Target) -> ReduceMatch | None:
        found = anchored(kernel, ReduceOp)
        if found is None or found.packed or not isinstance(found.anchor, ReduceOp):
            return None
        generics = [*found.prologues.values(), found.epilogue]
        if not all(body_vectorizes(g, target) for g in generics if g is not None):
            return None
        if str(element_of(found.anchor.input)) != "f32":
            return None
        return _normal_form(
            kernel, found.anchor, found.prologues.get(0), found.epilogue
        )

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, ReduceMatch)
        if match.inner > 1:
            space = column_space(target)
        else:
            threads = row_threads(match.outer, match.reduced, target)
            # Extrema that keep NaN have more than their partial results in registers.
            unroll = (2, 1, 4) if match.kind in ("max", "min") else (4, 1, 2)
            space = row_space(target, threads, unroll)
        if not target.splits_reductions:
            return space
        return {**space, "split": _splits(match, target)}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return row_refusal(schedule)

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, ReduceMatch)
        columns = match.inner > 1
        rows = match.outer if columns else match.outer * match.inner
        length = match.inner if columns else match.reduced
        return row_cost(match.kernel, rows, length, target, schedule)


SPLITS = (1, 4, 16, 64)
LEAST_PART = 256
"""Of the reduced loop; shorter parts cost more to fold than they save."""
LONG_PART = 1 << 14
"""From which on parts are the default of GPUs, where results are few."""


def _splits(match: ReduceMatch, target: Target) -> tuple[int, ...]:
    """Equal parts, which lie behind one another as the rows do; the default first."""
    together = all(a.strides[0] == match.reduced * a.strides[1] for a in match.inputs)
    if match.outer > 1 and not together:
        return (1,)
    least = [(s, match.reduced // s) for s in SPLITS if match.reduced % s == 0]
    legal = [s for s, length in least if s == 1 or length >= LEAST_PART]
    few = 8 * target.peaks.units // (match.outer * match.inner)
    wanted = 1 if target.is_cpu_style else max(1, few)
    long = [s for s, n in least if s <= wanted and (s == 1 or n >= LONG_PART)]
    return tuple(dict.fromkeys((max(long), *legal)))


def column_space(target: Target) -> Space:
    """As for rows; `parallel` on a CPU is vectors of columns side by side."""
    space = row_space(target, COLUMN_THREADS)
    if target.is_cpu_style:
        return {**space, "parallel": (4, 16, 1)}
    return space


def _normal_form(
    kernel: KernelOp,
    op: ReduceOp,
    prologue: linalg.GenericOp | None,
    epilogue: linalg.GenericOp | None,
) -> ReduceMatch | None:
    names, shape, axes = buffer_names(kernel), shape_of(op.input), op.ints_of("axes")
    kinds = tuple("reduction" if i in axes else "parallel" for i in range(len(shape)))
    if prologue is not None:
        reads = nest_of(prologue, {**names, prologue.results[0]: "p"}).inputs
    else:
        reads = (Access(names[op.input], "f32", 0, row_major(shape)),)
    extra = _extra(op, epilogue, names, kinds)
    last = epilogue or op
    out = [
        Access(names[r], "f32", 0, _spread(op, row_major(shape_of(r)), kinds))
        for r in last.results
    ]
    present = [a for a in extra if a is not None]
    nest = collapse(Nest(shape, kinds, (*reads, *present), tuple(out)))
    form = three_loops(nest)
    if form is None or 0 in form.extents:
        return None
    inputs, found = form.inputs[: len(reads)], iter(form.inputs[len(reads) :])
    spread = tuple(None if a is None else next(found) for a in extra)
    outer, reduced, inner = form.extents
    return ReduceMatch(
        "reduce",
        kernel,
        op,
        outer,
        reduced,
        inner,
        prologue,
        inputs,
        epilogue,
        spread,
        form.outputs,
    )


def _spread(
    op: ReduceOp, strides: Sequence[int], kinds: Sequence[str]
) -> tuple[int, ...]:
    """Strides over the result's axes as strides over the input's loops."""
    if op.bool_of("keepdims"):
        return tuple(s if k == "parallel" else 0 for s, k in zip(strides, kinds))
    rest = iter(strides)
    return tuple(next(rest) if kind == "parallel" else 0 for kind in kinds)


def _extra(
    op: ReduceOp,
    epilogue: linalg.GenericOp | None,
    names: dict[SSAValue, str],
    kinds: Sequence[str],
) -> list[Access | None]:
    if epilogue is None:
        return []
    found: list[Access | None] = []
    for value, map in zip(epilogue.inputs, maps_of(epilogue)):
        if value is op.result:
            found.append(None)
            continue
        read = access(map, shape_of(value), names[value], "f32")
        found.append(replace(read, strides=_spread(op, read.strides, kinds)))
    return found


def three_loops(nest: Nest) -> Nest | None:
    """(outer, reduced, inner), with extent 1 for what is missing."""
    order = nest.kinds
    if order.count("reduction") > 1:
        return None
    if "reduction" not in order:
        if len(order) > 1:
            return None
        nest = _insert(nest, len(order), "reduction")
        order = nest.kinds
    at = order.index("reduction")
    if at > 1 or len(order) - at > 2:
        return None
    if at == 0:
        nest = _insert(nest, 0, "parallel")
    if len(nest.kinds) == 2:
        nest = _insert(nest, 2, "parallel")
    return nest


def _insert(nest: Nest, at: int, kind: str) -> Nest:
    def widened(a: Access) -> Access:
        return replace(a, strides=(*a.strides[:at], 0, *a.strides[at:]))

    return Nest(
        (*nest.extents[:at], 1, *nest.extents[at:]),
        (*nest.kinds[:at], kind, *nest.kinds[at:]),
        tuple(widened(a) for a in nest.inputs),
        tuple(widened(a) for a in nest.outputs),
    )
