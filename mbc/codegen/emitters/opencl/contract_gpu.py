"""contract on OpenCL, gpu style: tiles in local memory, sums in registers."""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.opencl.contract_tile import (
    Operand,
    epilogue,
    left_operand,
    result_lanes,
    right_operand,
    right_texels,
)
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, number, numbers
from mbc.codegen.emitters.opencl.vector_body import Value
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import Buffer, KernelCode

TEXEL = 4
"""Elements of an image that are read at once."""
JOIN_ITEMS = 64
"""Of a work group that adds parts up."""


def emit_gpu(frame: Frame, match: ContractMatch) -> KernelCode:
    """With `split`, a launch that sums parts of k and one that adds the parts up."""
    parts = number(frame.schedule, "split")
    if parts == 1:
        return _emit(frame, match, 1)
    sizes = (parts, match.b, match.m, match.n)
    extents = (*frame.extents, ("PARTS", parts))
    scratch = (Buffer("s0", "f32", sizes, "scratch"),)
    frame = replace(frame, extents=extents, scratch=scratch)
    code = _emit(frame, match, parts)
    (summing,) = code.launches
    width = joined_width(match)
    items = match.b * match.m * (match.n // width)
    grid = (ceil_div(items, JOIN_ITEMS), 1, 1)
    launches = (
        replace(summing, function=f"{frame.label}_parts"),
        replace(
            summing,
            function=f"{frame.label}_join",
            grid=grid,
            block=(JOIN_ITEMS, 1, 1),
        ),
    )
    return replace(code, launches=launches)


def _emit(frame: Frame, match: ContractMatch, parts: int) -> KernelCode:
    rows, columns, depth = numbers(frame.schedule, "tile")
    across, down = numbers(frame.schedule, "parallel")
    vector, each = number(frame.schedule, "vector"), columns // across
    right = (right_texels if frame.images else right_operand)(frame, match)
    width = vector if each % vector == 0 else 1
    guarded = match.n % columns != 0
    count = f"{frame.name('N')} - n" if guarded and width > 1 else ""
    lanes = result_lanes(frame, width, count)
    joined = joined_width(match)
    return frame.code(
        "opencl/gpu_contract.cl.j2",
        (ceil_div(match.n, columns), ceil_div(match.m, rows), match.b * parts),
        (across, down, 1),
        rows=rows,
        columns=columns,
        depth=depth,
        item_rows=rows // down,
        item_columns=each,
        width=width,
        column=column_text(width, across),
        left=left_operand(frame, match),
        right=right,
        left_vector=staging_width(left_operand(frame, match), vector),
        right_vector=TEXEL if right.image else staging_width(right, vector),
        below=epilogue(match, lanes, total_text(width))
        if parts == 1
        else [lanes.store(_partial(match), Value(total_text(width)))],
        guarded=guarded or match.m % rows != 0,
        b_extent=frame.name("B"),
        m=frame.name("M"),
        n=frame.name("N"),
        k=frame.name("K"),
        parts=parts,
        parts_name=frame.name("PARTS"),
        join_width=joined,
        join_below=epilogue(match, result_lanes(frame, joined), "sum"),
        join_part=result_lanes(frame, joined).load(_partial(match)),
        join_items=JOIN_ITEMS,
    )


def joined_width(match: ContractMatch) -> int:
    """Lanes of a work item that adds parts up."""
    return 4 if match.n % 4 == 0 else 1


def _partial(match: ContractMatch) -> Access:
    """One part of the sums, over (b, m, n)."""
    return Access("partial", "f32", 0, (match.m * match.n, match.n, 1))


def total_text(width: int) -> str:
    return "sums[r][c]" if width == 1 else f"vload{width}(0, sums[r] + c)"


def column_text(width: int, across: int) -> str:
    """Column c of an item: neighbours in a work group own neighbouring vectors."""
    if width == 1:
        return f"c * {across} + tx"
    return f"(c / {width} * {across} + tx) * {width}"


def staging_width(operand: Operand, vector: int) -> int:
    """Vectors into local memory need a loop of unit stride to run along."""
    return vector if 1 in (operand.stride, operand.step) else 1
