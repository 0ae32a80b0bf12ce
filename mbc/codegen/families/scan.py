"""scan: running sums, products and extrema, elementwise work before and behind."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import Anchored, anchored, buffer_names
from mbc.codegen.families.reduce import three_loops
from mbc.codegen.families.rowwise import row_cost, row_threads
from mbc.codegen.families.vectors import body_vectorizes
from mbc.codegen.loops import Access, Nest, access, collapse, nest_of, row_major
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.scan import ScanOp
from mbc.ir.structured import maps_of
from mbc.ir.types import element_of, shape_of

KINDS = ("sum", "prod", "max", "min")
ELEMENTS_PER_PART = 16384
"""Of a long row: enough work to be worth a launch of its own."""


@dataclass(frozen=True)
class ScanMatch(Match):
    """result[o, r, i] = epilogue(fold over r' up to r of prologue(inputs[o, r', i])).

    All accesses have strides over (outer, length, inner); None among `extra`, the
    epilogue's inputs, is the scan itself. Rows are contiguous where `inner` is 1.
    """

    op: ScanOp
    outer: int
    length: int
    inner: int
    prologue: linalg.GenericOp | None
    inputs: tuple[Access, ...]
    epilogue: linalg.GenericOp | None
    extra: tuple[Access | None, ...]
    out: tuple[Access, ...]

    @property
    def kind(self) -> str:
        """sum, prod, max or min."""
        return self.op.str_of("kind")

    @property
    def exclusive(self) -> bool:
        return self.op.bool_of("exclusive")

    @property
    def reverse(self) -> bool:
        return self.op.bool_of("reverse")


class ScanFamily:
    """Knobs: `vector` (LMUL on RVV, lanes per access on SIMT) along the row where it is
    contiguous and along the columns otherwise; `unroll` (neighbours that a lane
    scans by itself, or strips of columns side by side, RVV);
    `parallel` (parts of a long row, on CPUs; work items per row, on GPUs)."""

    def match(self, kernel: KernelOp, target: Target) -> ScanMatch | None:
        found = anchored(kernel, ScanOp)
        if found is None or found.packed or not isinstance(found.anchor, ScanOp):
            return None
        op = found.anchor
        if op.str_of("kind") not in KINDS or op.with_indices:
            return None
        generics = [*found.prologues.values(), found.epilogue]
        if not all(body_vectorizes(g, target) for g in generics if g is not None):
            return None
        if str(element_of(op.input)) != "f32" or 0 in shape_of(op.input):
            return None
        return _normal_form(kernel, found, op)

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, ScanMatch)
        columns = match.inner > 1
        if not target.simt and columns:
            return {"vector": (8, 4, 2, 1), "unroll": (2, 1, 4)}
        if not target.simt:
            return {"vector": (1, 2), "unroll": (8, 4, 2, 1)}
        if target.is_cpu_style:
            return {"vector": (16, 8, 4), "parallel": _cpu_parallel(match, target)}
        if columns:
            return {"parallel": (64, 128, 256)}
        threads = row_threads(match.outer, match.length, target)
        choices = dict.fromkeys((max(threads, 32), 256, 128, 512, 64, 32))
        return {"vector": (4, 1), "parallel": tuple(choices)}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        assert isinstance(match, ScanMatch)
        vector, unroll = schedule.get("vector", 1), schedule.get("unroll", 1)
        assert isinstance(vector, int)
        assert isinstance(unroll, int)
        if target.simt or match.inner > 1 or vector * unroll <= LARGEST_SEGMENTS:
            return ""
        return (
            f"segments of {unroll} fields at LMUL {vector} need over "
            f"{LARGEST_SEGMENTS} vector registers"
        )

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, ScanMatch)
        columns = match.inner > 1
        rows = match.outer if columns else match.outer * match.inner
        length = match.inner if columns else match.length
        return row_cost(match.kernel, rows, length, target, schedule)


LARGEST_SEGMENTS = 8
"""Registers of one segment load."""
FEW_UNITS = 4
"""Fewer processors gain nothing from parts, which read the row a second time."""


def _cpu_parallel(match: ScanMatch, target: Target) -> tuple[int, ...]:
    """Vectors of columns side by side, or parts of each row."""
    if match.inner > 1:
        return (4, 16, 1)
    most = match.length // ELEMENTS_PER_PART
    if match.outer >= 64 or most < 2:
        return (1,)
    parts = min(most, 256)
    choices = tuple(dict.fromkeys((parts, max(1, parts // 4), 1)))
    return choices[::-1] if target.peaks.units < FEW_UNITS else choices


def _normal_form(kernel: KernelOp, found: Anchored, op: ScanOp) -> ScanMatch | None:
    names, shape, axis = buffer_names(kernel), shape_of(op.input), op.int_of("axis")
    kinds = tuple("reduction" if i == axis else "parallel" for i in range(len(shape)))
    prologue, epilogue = found.prologues.get(0), found.epilogue
    if prologue is not None:
        reads = nest_of(prologue, {**names, prologue.results[0]: "p"}).inputs
    else:
        reads = (Access(names[op.input], "f32", 0, row_major(shape)),)
    extra: list[Access | None] = []
    if epilogue is not None:
        for value, map in zip(epilogue.inputs, maps_of(epilogue)):
            own = value is op.result
            read = None if own else access(map, shape_of(value), names[value], "f32")
            extra.append(read)
    last = epilogue or op
    out = [Access(names[r], "f32", 0, row_major(shape)) for r in last.results]
    present = [a for a in extra if a is not None]
    nest = collapse(Nest(shape, kinds, (*reads, *present), tuple(out)))
    form = three_loops(nest)
    if form is None:
        return None
    outer, length, inner = form.extents
    rest = iter(form.inputs[len(reads) :])
    return ScanMatch(
        "scan",
        kernel,
        op,
        outer,
        length,
        inner,
        prologue,
        form.inputs[: len(reads)],
        epilogue,
        tuple(None if a is None else next(rest) for a in extra),
        form.outputs,
    )
