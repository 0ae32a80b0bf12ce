"""map in CUDA: vectors over a grid-stride loop, several of them in flight."""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.cuda.lanes import Walk, fitting_width, is_aligned
from mbc.codegen.emitters.cuda.signature import (
    Signature,
    number,
    op_summary,
    shape_text,
)
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.map import MapMatch
from mbc.codegen.loops import Access, Nest
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target

BLOCKS_PER_UNIT = 64
"""More blocks than this per multiprocessor take several turns of the loop."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MapMatch)
    nest = _with_a_loop(match.nest)
    inner = nest.extents[-1]
    width, has_tail = _width(nest, number(schedule, "vector"))
    threads = number(schedule, "parallel")
    vectors = nest.points() // inner * -(-inner // width)
    unroll = min(number(schedule, "unroll"), -(-vectors // threads))
    extents = [(f"N{d}", extent) for d, extent in enumerate(nest.extents)]
    signature = Signature(match, target, extents)
    source = render(
        "cuda/map.cu.j2",
        sig=signature,
        comment=f"{op_summary(match.kernel)} over {shape_text(nest.extents)}",
        width=width,
        has_tail=has_tail,
        unroll=unroll,
        threads=threads,
        vectors=vector_count(signature, width, has_tail),
        indices=index_lines(signature, nest, width),
        results=[f"y{i}" for i in range(len(nest.outputs))],
        **_statements(match, nest, signature, width, unroll, has_tail),
    )
    most = target.peaks.units * BLOCKS_PER_UNIT
    blocks = min(-(-vectors // (threads * unroll)), most)
    launch = Launch(signature.label, signature.names, (blocks, 1, 1), (threads, 1, 1))
    return signature.code(source, [launch], schedule)


def _with_a_loop(nest: Nest) -> Nest:
    """A single point as a loop of one step."""
    if nest.extents:
        return nest

    def stepped(access: Access) -> Access:
        return replace(access, strides=(1,))

    return Nest(
        (1,),
        ("parallel",),
        tuple(map(stepped, nest.inputs)),
        tuple(map(stepped, nest.outputs)),
    )


def _width(nest: Nest, wanted: int) -> tuple[int, bool]:
    """Lanes per access, and whether the last vector may be cut off.

    Only a single loop may end within a vector: elsewhere the next row would start
    unaligned.
    """
    inner = nest.extents[-1]
    dense = all(a.strides[-1] in (0, 1) for a in nest.accesses)
    aligned = all(is_aligned(a, wanted) for a in nest.accesses)
    if len(nest.extents) == 1 and dense and aligned and inner > wanted > 1:
        return wanted, inner % wanted != 0
    return fitting_width(wanted, inner, nest.accesses), False


def vector_count(signature: Signature, width: int, has_tail: bool) -> str:
    *outer, inner = (name for name, _ in signature.constants)
    if has_tail:
        inner = f"(({inner} + {width - 1}) / {width})"
    elif width > 1:
        inner = f"({inner} / {width})"
    return signature.cast + " * ".join([*outer, inner])


def index_lines(signature: Signature, nest: Nest, width: int) -> list[str]:
    """Declarations of i0, i1, ... from the number v of a vector."""
    last = len(nest.extents) - 1
    names = [name for name, _ in signature.constants]
    steps = f" / {width}" if width > 1 else ""
    lines: list[str] = []
    rest = "v"
    for loop in range(last, -1, -1):
        extent = names[loop]
        scale = f" * {width}" if loop == last and width > 1 else ""
        count = f"({extent}{steps})" if loop == last and width > 1 else extent
        value = rest if loop == 0 else f"{rest} % {count}"
        lines.append(f"const {signature.index} i{loop} = {value}{scale};")
        rest = f"{rest} / {count}"
    return list(reversed(lines))


def _statements(
    match: MapMatch,
    nest: Nest,
    signature: Signature,
    width: int,
    unroll: int,
    has_tail: bool,
) -> dict[str, list[str]]:
    """Loads of a vector, the statements of one lane, and stores."""
    indices = tuple(f"i{d}" for d in range(len(nest.extents)))
    walk = Walk(indices, signature.constants, width)
    count = f"{signature.constants[-1][0]} - {indices[-1]}" if has_tail else ""
    turns, turn = (f"[{unroll}]", "[u]") if unroll > 1 else ("", "")
    named = [(f"x{i}", access) for i, access in enumerate(nest.inputs)]
    reads = [walk.lane_of(name + turn, access) for name, access in named]
    initial = ["uninitialized"] * len(nest.outputs)
    printer = ScalarPrinter(signature.target)
    printed = printer.body(match.op.body.block, [*reads, *initial])
    lane = "[e]" if width > 1 else ""
    results = [f"y{i}{lane} = {text};" for i, text in enumerate(printed.results)]
    return {
        "declarations": [walk.declare(name + turns, a) for name, a in named],
        "loads": [walk.load(name + turn, a, count) for name, a in named],
        "lines": [*printed.lines, *results],
        "stores": [walk.store(a, f"y{i}", count) for i, a in enumerate(nest.outputs)],
    }
