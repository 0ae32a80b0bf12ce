"""contract on OpenCL, cpu style: a register tile of vectors per work item.

Vectors run along n where the right operand is packed in panels, has unit stride in n
or has to be gathered; they run along k, as dot products, where k is the unit stride
of both operands.
"""

from __future__ import annotations

from mbc.codegen.emitters.opencl.contract_gpu import emit_gpu
from mbc.codegen.emitters.opencl.contract_tile import (
    K,
    N,
    Tile,
    epilogue,
    left_operand,
    result_lanes,
    right_operand,
)
from mbc.codegen.emitters.opencl.frame import (
    Frame,
    ceil_div,
    fitting_width,
    number,
    numbers,
)
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.contract import ContractMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ContractMatch)
    extents = (("B", match.b), ("M", match.m), ("N", match.n), ("K", match.k))
    frame = Frame(match, schedule, target, extents)
    return STYLES[target.text("style")](frame, match)


def emit_cpu(frame: Frame, match: ContractMatch) -> KernelCode:
    form = emit_dot if along_k(match) else emit_along_n
    return form(frame, match)


STYLES = {"cpu": emit_cpu, "gpu": emit_gpu}


def along_k(match: ContractMatch) -> bool:
    """Both operands are contiguous in k, and the right one is not in n."""
    if match.panel or match.k == 1:
        return False
    contiguous = match.lhs.strides[K] == 1 and match.rhs.strides[K] == 1
    return contiguous and match.rhs.strides[N] != 1


def emit_along_n(frame: Frame, match: ContractMatch) -> KernelCode:
    tile = cpu_tile(frame, match)
    inside = match.n % tile.columns == 0
    lanes = result_lanes(frame, tile.width, "" if inside else f"{frame.name('N')} - n")
    return frame.code(
        "opencl/cpu_contract.cl.j2",
        (ceil_div(match.m, tile.rows), ceil_div(match.n, tile.columns), match.b),
        (1, 1, 1),
        tile=tile,
        type=lanes.printer.type("float"),
        left=left_operand(frame, match),
        right=right_operand(frame, match),
        load=_load_right(frame, match, tile),
        below=epilogue(match, lanes, "sums[r][c]"),
        unroll=number(frame.schedule, "unroll"),
        guarded=match.m % tile.rows != 0,
        m=frame.name("M"),
        k=frame.name("K"),
    )


def cpu_tile(frame: Frame, match: ContractMatch) -> Tile:
    """The schedule's tile, no larger than the result and dividing the panel."""
    rows, vectors = numbers(frame.schedule, "tile")
    width = fitting_width(number(frame.schedule, "vector"), max(match.n, 2))
    vectors = min(vectors, ceil_div(match.n, width))
    while match.panel and match.panel % (width * vectors):
        vectors, width = (vectors - 1, width) if vectors > 1 else (1, width // 2)
    return Tile(min(rows, match.m), vectors, width)


def _load_right(frame: Frame, match: ContractMatch, tile: Tile) -> str:
    """Vector c of the right operand at step k."""
    right, width = right_operand(frame, match), tile.width
    pointer = f"right + {right.at('k')} + {width * right.stride} * c"
    if right.padded or (right.stride == 1 and match.n % tile.columns == 0):
        return f"vload{width}(0, {pointer})"
    count = f"{frame.name('N')} - n0 - {width} * c"
    if right.stride == 1:
        return f"mbc_load{width}({pointer}, {count})"
    return f"mbc_gather{width}({pointer}, {right.stride}, {count})"



def emit_dot(frame: Frame, match: ContractMatch) -> KernelCode:
    rows, columns = numbers(frame.schedule, "tile")
    width = fitting_width(number(frame.schedule, "vector"), match.k)
    tile = Tile(min(rows, match.m), min(columns, match.n), width)
    load = f"vload{width}(0, {{0}} + k)"
    if match.k % width:
        load = f"mbc_load{width}({{0}} + k, {frame.name('K')} - k)"
    total = f"mbc_sum{width}(sums[r][c])"
    return frame.code(
        "opencl/cpu_contract_dot.cl.j2",
        (ceil_div(match.m, tile.rows), ceil_div(match.n, tile.vectors), match.b),
        (1, 1, 1),
        tile=tile,
        left=left_operand(frame, match),
        right=right_operand(frame, match),
        load_left=load.format("left[r]"),
        load_right=load.format("right[c]"),
        below=epilogue(match, result_lanes(frame, 1, ""), total),
        unroll=number(frame.schedule, "unroll"),
        guarded=match.m % tile.rows != 0 or match.n % tile.vectors != 0,
        m=frame.name("M"),
        n=frame.name("N"),
        k=frame.name("K"),
    )
