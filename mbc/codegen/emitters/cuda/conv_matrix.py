"""conv in CUDA by the matrix unit: filters are rows, results are columns.

Products of a sum are numbered as without the unit; what lies outside the input arrives
as zeros.
"""

from __future__ import annotations

from mbc.codegen.emitters.conv_index import ConvIndex
from mbc.codegen.emitters.cuda.conv_results import epilogue
from mbc.codegen.emitters.cuda.matrix_tiles import Operand, Sums
from mbc.codegen.emitters.cuda.signature import Signature, numbers
from mbc.codegen.emitters.simt import strip_of
from mbc.codegen.families import Schedule
from mbc.codegen.families.conv_spaces import MATRIX_STAGES
from mbc.codegen.families.matrix_unit import warps_of


def context(
    signature: Signature, index: ConvIndex, schedule: Schedule
) -> dict[str, object]:
    """What the template needs beside that of other tiles."""
    filters, results, depth = numbers(schedule, "tile")
    across, down = numbers(schedule, "parallel")
    warps = warps_of(filters, results, across * down)
    assert warps is not None
    panel = index.match.weight.panel
    together = strip_of(warps.rows // 8) if panel else 1
    sums = Sums(
        warps,
        Operand("weights", filters, not panel, together),
        Operand("values", results, False, 1),
    )
    return {
        "sums": sums,
        "stages": MATRIX_STAGES,
        "width": strip_of(panel) if panel else 1,
        "buffer": index.match.weight.buffer,
        "every": index.decoded("k", signature.index),
        "end": epilogue(index, ("z", "y", "x"), "total"),
        "weight_k": f"e / {filters}" if panel else f"e % {depth}",
        "weight_f": f"e % {filters}" if panel else f"e / {depth}",
    }
