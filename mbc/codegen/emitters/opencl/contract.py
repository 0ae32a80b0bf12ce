"""contract on OpenCL, cpu style: a register tile of vectors per work item.

Vectors run along n where the right operand is packed in panels, has unit stride in n
or has to be gathered; they run along k, as dot products, where k is the unit stride
of both operands.
"""

from __future__ import annotations

from mbc.codegen.emitters.opencl.contract_adreno import emit_adreno
from mbc.codegen.emitters.opencl.contract_gpu import emit_gpu
from mbc.codegen.emitters.opencl.contract_tile import (
    Operand,
    Tile,
    epilogue,
    left_operand,
    result_lanes,
    right_operand,
)
from mbc.codegen.emitters.opencl.frame import (
    Frame,
    ceil_div,
    number,
    numbers,
)
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.contract import sums_along_k
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ContractMatch)
    extents = (("B", match.b), ("M", match.m), ("N", match.n), ("K", match.k))
    frame = Frame(match, schedule, target, extents)
    return target.in_style(STYLES)(frame, match)


def emit_cpu(frame: Frame, match: ContractMatch) -> KernelCode:
    form = emit_dot if sums_along_k(match) else emit_along_n
    return form(frame, match)


STYLES = {"cpu": emit_cpu, "gpu": emit_gpu, "adreno": emit_adreno}


def emit_along_n(frame: Frame, match: ContractMatch) -> KernelCode:
    tile, ragged = cpu_tile(frame, match), False
    if match.n % tile.columns == 0:
        lanes = result_lanes(frame, tile.width)
    elif match.panel:
        lanes = result_lanes(frame, tile.width, count=f"{frame.name('N')} - n")
    else:
        # The last vectors end with the row: they overlap others and store the rest.
        lanes, ragged = result_lanes(frame, tile.width, skip="done"), True
    right = right_operand(frame, match)
    return frame.code(
        "opencl/cpu_contract.cl.j2",
        (ceil_div(match.m, tile.rows), ceil_div(match.n, tile.columns), match.b),
        (1, 1, 1),
        tile=tile,
        type=lanes.printer.type("float"),
        left=left_operand(frame, match),
        right=right,
        load=_load_right(right, tile),
        below=epilogue(match, lanes, "tile[r][c]"),
        unroll=number(frame.schedule, "unroll"),
        guarded=match.m % tile.rows != 0,
        ragged=ragged,
        m=frame.name("M"),
        n=frame.name("N"),
        k=frame.name("K"),
    )


def cpu_tile(frame: Frame, match: ContractMatch) -> Tile:
    """The schedule's tile, no larger than the result and dividing the panel."""
    rows, vectors = numbers(frame.schedule, "tile")
    width = number(frame.schedule, "vector")
    while width > max(match.n, match.panel):
        width //= 2
    vectors = min(vectors, ceil_div(match.n, width))
    while match.panel and match.panel % (width * vectors):
        vectors, width = (vectors - 1, width) if vectors > 1 else (1, width // 2)
    return Tile(min(rows, match.m), vectors, width)


def _load_right(right: Operand, tile: Tile) -> str:
    """Vector c of the right operand at step k."""
    width, pointer = tile.width, f"right[c] + {right.at('k')}"
    if width == 1:
        return f"right[c][{right.at('k')}]"
    if right.stride == 1:
        return f"vload{width}(0, {pointer})"
    return f"mbc_gather{width}({pointer}, {right.stride}, {width})"


def emit_dot(frame: Frame, match: ContractMatch) -> KernelCode:
    rows, columns = numbers(frame.schedule, "tile")
    width = number(frame.schedule, "vector")
    while width > max(match.k, 4):
        width //= 2
    tile = Tile(min(rows, match.m), min(columns, match.n), width)
    return frame.code(
        "opencl/cpu_contract_dot.cl.j2",
        (ceil_div(match.m, tile.rows), ceil_div(match.n, tile.vectors), match.b),
        (1, 1, 1),
        tile=tile,
        left=left_operand(frame, match),
        right=right_operand(frame, match),
        whole=match.k - match.k % width,
        below=epilogue(match, result_lanes(frame, 1), "sum"),
        unroll=number(frame.schedule, "unroll"),
        guarded=match.m % tile.rows != 0 or match.n % tile.vectors != 0,
        rest=match.k % width != 0,
        m=frame.name("M"),
        n=frame.name("N"),
        k=frame.name("K"),
    )
