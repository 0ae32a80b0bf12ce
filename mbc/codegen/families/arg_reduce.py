"""arg_reduce: where the extremum of rows or columns is, elementwise work before it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import anchored, buffer_names
from mbc.codegen.families.reduce import three_loops
from mbc.codegen.families.rowwise import row_cost, row_threads
from mbc.codegen.families.vectors import body_vectorizes
from mbc.codegen.loops import Access, Nest, collapse, nest_of, row_major
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.arg_reduce import ArgReduceOp
from mbc.ir.types import element_of, shape_of


@dataclass(frozen=True)
class ArgReduceMatch(Match):
    """where[o, i] = the first r that maximizes (minimizes) prologue(inputs[o, r, i]).

    Accesses of `inputs` have strides over (outer, reduced, inner); results are dense
    over (outer, inner). Rows are contiguous where `inner` is 1.
    """

    op: ArgReduceOp
    outer: int
    reduced: int
    inner: int
    prologue: linalg.GenericOp | None
    inputs: tuple[Access, ...]
    where: str
    """The buffer of the indices."""
    value: str
    """The buffer of the elements themselves, or empty."""

    @property
    def kind(self) -> str:
        """max or min."""
        return self.op.str_of("kind")


class ArgReduceFamily:
    """Knobs: `vector` (LMUL on RVV, lanes on CPUs) along the row where it is contiguous
    and along the columns otherwise; `parallel` (vectors of columns side by side on
    CPUs, work items per row or group size on GPUs)."""

    def match(self, kernel: KernelOp, target: Target) -> ArgReduceMatch | None:
        found = anchored(kernel, ArgReduceOp)
        if found is None or found.packed or found.epilogue is not None:
            return None
        op, prologue = found.anchor, found.prologues.get(0)
        assert isinstance(op, ArgReduceOp)
        if set(kernel.terminator.values) != set(op.results):
            return None
        if prologue is not None and not body_vectorizes(prologue, target):
            return None
        shape = shape_of(op.input)
        if str(element_of(op.input)) != "f32" or 0 in shape:
            return None
        if shape[op.int_of("axis")] >= 2**31:
            return None
        return _normal_form(kernel, op, prologue)

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, ArgReduceMatch)
        columns = match.inner > 1
        if not target.simt:
            return {"vector": (4, 2, 1)}
        if target.is_cpu_style:
            return {"vector": (16, 8, 4), "parallel": (4, 1, 2) if columns else (1,)}
        if columns:
            return {"parallel": (64, 128, 256)}
        threads = max(row_threads(match.outer, match.reduced, target), 32)
        return {"parallel": tuple(dict.fromkeys((threads, 256, 128, 512, 64, 32)))}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, ArgReduceMatch)
        columns = match.inner > 1
        rows = match.outer if columns else match.outer * match.inner
        length = match.inner if columns else match.reduced
        return row_cost(match.kernel, rows, length, target, schedule)


def _normal_form(
    kernel: KernelOp, op: ArgReduceOp, prologue: linalg.GenericOp | None
) -> ArgReduceMatch | None:
    names, shape, axis = buffer_names(kernel), shape_of(op.input), op.int_of("axis")
    kinds = tuple("reduction" if i == axis else "parallel" for i in range(len(shape)))
    if prologue is not None:
        reads = nest_of(prologue, {**names, prologue.results[0]: "p"}).inputs
    else:
        reads = (Access(names[op.input], "f32", 0, row_major(shape)),)
    form = three_loops(collapse(Nest(shape, kinds, reads, (_result(shape, axis),))))
    if form is None:
        return None
    outer, reduced, inner = form.extents
    value = names[op.value] if op.value is not None else ""
    return ArgReduceMatch(
        "arg_reduce",
        kernel,
        op,
        outer,
        reduced,
        inner,
        prologue,
        form.inputs,
        names[op.result],
        value,
    )


def _result(shape: tuple[int, ...], axis: int) -> Access:
    """Dense over all loops but the reduced one."""
    kept = [1 if i == axis else extent for i, extent in enumerate(shape)]
    strides = list(row_major(kept))
    strides[axis] = 0
    return Access("r0", "i64", 0, tuple(strides))
