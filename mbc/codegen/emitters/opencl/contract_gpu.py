"""contract on OpenCL, gpu style: tiles in local memory, sums in registers."""

from __future__ import annotations

from mbc.codegen.emitters.opencl.contract_tile import (
    Operand,
    epilogue,
    left_operand,
    result_lanes,
    right_operand,
)
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, number, numbers
from mbc.codegen.families.contract import ContractMatch
from mbc.codegen.program import KernelCode


def emit_gpu(frame: Frame, match: ContractMatch) -> KernelCode:
    rows, columns, depth = numbers(frame.schedule, "tile")
    across, down = numbers(frame.schedule, "parallel")
    vector, each = number(frame.schedule, "vector"), columns // across
    width = vector if each % vector == 0 else 1
    guarded = match.n % columns != 0
    count = f"{frame.name('N')} - n" if guarded and width > 1 else ""
    total = "sums[r][c]" if width == 1 else f"vload{width}(0, sums[r] + c)"
    return frame.code(
        "opencl/gpu_contract.cl.j2",
        (ceil_div(match.n, columns), ceil_div(match.m, rows), match.b),
        (across, down, 1),
        rows=rows,
        columns=columns,
        depth=depth,
        item_rows=rows // down,
        item_columns=each,
        width=width,
        column=column_text(width, across),
        left=left_operand(frame, match),
        right=right_operand(frame, match),
        left_vector=staging_width(left_operand(frame, match), vector),
        right_vector=staging_width(right_operand(frame, match), vector),
        below=epilogue(match, result_lanes(frame, width, count), total),
        guarded=guarded or match.m % rows != 0,
        m=frame.name("M"),
        n=frame.name("N"),
        k=frame.name("K"),
    )


def column_text(width: int, across: int) -> str:
    """Column c of an item: neighbours in a work group own neighbouring vectors."""
    if width == 1:
        return f"c * {across} + tx"
    return f"(c / {width} * {across} + tx) * {width}"


def staging_width(operand: Operand, vector: int) -> int:
    """Vectors into local memory need a loop of unit stride to run along."""
    return vector if 1 in (operand.stride, operand.step) else 1
