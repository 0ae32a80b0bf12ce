"""reduce in CUDA: rows by shuffles, columns by coalesced lanes and shared memory.

Where the results alone would leave the GPU idle, the reduced loop is cut into parts:
a first launch writes one partial result per part to scratch, a second one folds them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mbc.codegen.emitters.cuda.folds import join_threads, start_text, step_text, struct
from mbc.codegen.emitters.cuda.lanes import Walk, fitting_width
from mbc.codegen.emitters.cuda.rows import ColumnSplit, RowSplit, column_split
from mbc.codegen.emitters.cuda.signature import Signature, number, op_summary
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.reduce import ReduceMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target

BLOCKS_PER_UNIT = 4
"""Fewer blocks than this per multiprocessor call for parts."""
STEPS_PER_PART = 8
"""A part is worth a launch from this many turns of its threads on."""
PARTIAL = "s0"


@dataclass(frozen=True)
class Stage:
    """One launch: which accesses it folds, and whether it ends in the epilogue."""

    name: str
    inputs: tuple[Access, ...]
    reduced: int
    parts: int
    width: int
    split: RowSplit | ColumnSplit
    is_first: bool
    """It reads the kernel's own inputs, through the prologue."""
    is_last: bool


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ReduceMatch)
    label = match.kernel.label.data
    stages = _stages(match, schedule, target, label)
    parts = stages[0].parts
    shape = (match.outer, parts, match.inner)
    scratch = (Buffer(PARTIAL, "f32", shape, "scratch"),) if parts > 1 else ()
    extents = [("OUTER", match.outer), ("REDUCED", match.reduced)]
    extents += [("INNER", match.inner)] if match.inner > 1 else []
    extents += [("PARTS", parts)] if parts > 1 else []
    signature = Signature(match, target, extents, scratch)
    source = render(
        "cuda/reduce.cu.j2",
        sig=signature,
        summary=f"{op_summary(match.kernel)}, {match.reduced} to 1",
        stages=[_stage_text(match, stage, signature) for stage in stages],
    )
    launches = [_launch(stage, signature) for stage in stages]
    return signature.code(source, launches, schedule)


def _stages(
    match: ReduceMatch, schedule: Schedule, target: Target, label: str
) -> list[Stage]:
    wanted, threads = number(schedule, "vector"), number(schedule, "parallel")
    ends = [a for a in (*match.extra, *match.out) if a is not None]
    if match.inner > 1:
        width = fitting_width(wanted, match.inner, [*match.inputs, *ends])
        split = column_split(match.outer, match.reduced, match.inner, width, threads)
        turns = match.reduced // split.lines
    else:
        rows = [_without_inner(a) for a in match.inputs]
        width = fitting_width(wanted, match.reduced, rows)
        split = RowSplit(match.outer, threads)
        turns = match.reduced // (threads * width)
    missing = -(-target.peaks.units * BLOCKS_PER_UNIT // split.blocks)
    parts = max(1, min(missing, turns // STEPS_PER_PART))
    first = Stage(
        label, match.inputs, match.reduced, parts, width, split, True, parts == 1
    )
    if parts == 1:
        return [first]
    last_split = split
    if isinstance(split, ColumnSplit):
        last_split = column_split(match.outer, parts, match.inner, width, threads)
    strides = (parts * match.inner, match.inner, 1 if match.inner > 1 else 0)
    partial = (Access(PARTIAL, "f32", 0, strides),)
    narrow = width if match.inner > 1 else 1
    last = Stage(f"{label}_join", partial, parts, 1, narrow, last_split, False, True)
    return [replace(first, name=f"{label}_parts"), last]


def _without_inner(access: Access) -> Access:
    return replace(access, strides=access.strides[:2])


def _launch(stage: Stage, signature: Signature) -> Launch:
    grid = (stage.split.blocks, stage.parts, 1)
    return Launch(stage.name, _names(stage, signature), grid, (stage.split.block, 1, 1))


def _names(stage: Stage, signature: Signature) -> tuple[str, ...]:
    """The buffers that a stage takes: of two stages, each only its own."""
    if stage.is_first and stage.is_last:
        return signature.names
    match = signature.match
    assert isinstance(match, ReduceMatch)
    used = {access.buffer for access in stage.inputs} | {PARTIAL}
    if stage.is_last:
        used |= {a.buffer for a in (*match.extra, *match.out) if a is not None}
    return tuple(name for name in signature.names if name in used)


def _stage_text(
    match: ReduceMatch, stage: Stage, signature: Signature
) -> dict[str, object]:
    names = _names(stage, signature)
    written = [r.name for r in signature.results]
    written += [] if stage.is_last and not stage.is_first else [PARTIAL]
    columns = isinstance(stage.split, ColumnSplit)
    reduced = f"{signature.label}_{'REDUCED' if stage.is_first else 'PARTS'}"
    loop = _loop(match, stage, signature)
    return {
        "name": stage.name,
        "parameters": signature.parameters(names, written),
        "columns": columns,
        "split": stage.split,
        "width": stage.width,
        "parts": f"{signature.label}_PARTS" if stage.parts > 1 else "",
        "reduced": reduced,
        "unit": 1 if columns else stage.width,
        "start": start_text(match.kind),
        "struct": struct(match.kind),
        "join": join_threads(match.kind, "total", stage.split.threads, "shared")
        if isinstance(stage.split, RowSplit)
        else "",
        "mean": f"{signature.label}_REDUCED"
        if stage.is_last and match.kind == "mean"
        else "",
        **loop,
        **_ending(match, stage, signature),
    }


def _loop(match: ReduceMatch, stage: Stage, signature: Signature) -> dict[str, object]:
    """The statements that fold one step of the reduced loop."""
    columns = isinstance(stage.split, ColumnSplit)
    extents = list(signature.constants)[: 3 if columns else 2]
    extents[1] = (extents[1][0], match.reduced)
    if not stage.is_first:
        extents[1] = (f"{signature.label}_PARTS", stage.reduced)
    indices = ("outer", "k", "column") if columns else ("row", "k")
    walk = Walk(indices, extents, stage.width)
    inputs = [a if columns else _without_inner(a) for a in stage.inputs]
    places = [f"x{i}" for i in range(len(inputs))]
    lanes = [walk.lane_of(p, a) for p, a in zip(places, inputs, strict=True)]
    lines: list[str] = []
    value = lanes[0] if lanes else ""
    if stage.is_first and match.prologue is not None:
        printer = ScalarPrinter(signature.target)
        printed = printer.body(match.prologue.body.block, [*lanes, "uninitialized"])
        lines, value = list(printed.lines), printed.results[0]
    total = "total[e]" if columns and stage.width > 1 else "total"
    return {
        "declarations": [
            walk.declare(p, a) for p, a in zip(places, inputs, strict=True)
        ],
        "loads": [walk.load(p, a) for p, a in zip(places, inputs, strict=True)],
        "lane": [*lines, step_text(match.kind, total, value)],
    }


def _ending(
    match: ReduceMatch, stage: Stage, signature: Signature
) -> dict[str, object]:
    """What happens to a total: the epilogue's statements, or a store to scratch."""
    columns = isinstance(stage.split, ColumnSplit)
    loops = {name: (f"{signature.label}_{name}", n) for name, n in signature.extents}
    order = ["OUTER", *([] if stage.is_last else ["PARTS"])]
    order += ["INNER"] if columns else []
    first = "outer" if columns else "row"
    indices = [first, *([] if stage.is_last else ["part"])]
    indices += ["column"] if columns else []
    width = stage.width if columns else 1
    walk = Walk(tuple(indices), [loops[name] for name in order], width)
    total = "total[e]" if width > 1 else "total"
    if not stage.is_last:
        strides = (stage.parts * match.inner, match.inner, 1)[: len(order)]
        store = walk.store(Access(PARTIAL, "f32", 0, strides), "total")
        return {"extra": [], "extra_loads": [], "results": [], "end": [store]}
    return _epilogue(match, walk, total, signature.target)


def _epilogue(
    match: ReduceMatch, walk: Walk, total: str, target: Target
) -> dict[str, object]:
    kept = (0, 2) if len(walk.indices) > 1 else (0,)

    def narrowed(access: Access) -> Access:
        return replace(access, strides=tuple(access.strides[d] for d in kept))

    out = [narrowed(a) for a in match.out]
    if match.epilogue is None:
        stores = [walk.store(a, "total") for a in out]
        return {"extra": [], "extra_loads": [], "results": [], "end": stores}
    reads = [None if a is None else narrowed(a) for a in match.extra]
    named = [(f"z{i}", a) for i, a in enumerate(reads) if a is not None]
    lanes = iter([walk.lane_of(name, a) for name, a in named])
    arguments = [total if a is None else next(lanes) for a in reads]
    block = match.epilogue.body.block
    printed = ScalarPrinter(target).body(
        block, [*arguments, *["uninitialized"] * len(out)]
    )
    lane, size = ("[e]", f"[{walk.width}]") if walk.width > 1 else ("", "")
    sets = [f"y{i}{lane} = {text};" for i, text in enumerate(printed.results)]
    return {
        "extra": [walk.declare(name, a) for name, a in named],
        "extra_loads": [walk.load(name, a) for name, a in named],
        "results": [f"y{i}{size}" for i in range(len(out))],
        "end_lane": [*printed.lines, *sets],
        "end": [walk.store(a, f"y{i}") for i, a in enumerate(out)],
    }
