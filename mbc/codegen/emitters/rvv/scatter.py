"""Scatters on RVV: a copy, then updates in order, rows of them in vectors."""

from __future__ import annotations

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.scatters import scatter_context
from mbc.codegen.families import Schedule
from mbc.codegen.families.move import MoveMatch
from mbc.codegen.families.movements import Scatter
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target

FLOATS = ("f16", "f32", "f64")
"""Elements that vectors compute with as they are, besides whole numbers."""


def emit(
    match: MoveMatch, scatter: Scatter, schedule: Schedule, target: Target
) -> KernelCode:
    lmul, bits = number(schedule, "vector"), match.bits
    extents = (
        ("OUTER", scatter.outer),
        ("PICKED", scatter.picked),
        ("EXTENT", scatter.extent),
        ("INNER", scatter.inner),
    )
    frame = Frame(match, target, schedule, extents)
    kind = "float" if match.dtype in FLOATS else "int"
    in_vectors = scatter.inner > 1 and match.dtype != "bf16"
    return frame.code(
        "rvv/scatter.c.j2",
        {f"moves:copy:{bits}:{lmul}", "scalar_math"},
        names={short: name for (short, _), (name, _) in zip(extents, frame.constants)},
        in_vectors=in_vectors,
        floating=kind == "float",
        bits=bits,
        lmul=lmul,
        copy=f"mbc_copy_b{bits}m{lmul}",
        word=f"uint{bits}_t",
        type=target.types[match.dtype],
        vector=f"v{kind}{bits}m{lmul}_t",
        suffix=f"{kind[0]}{bits}m{lmul}",
        mask=f"vbool{bits // lmul}_t",
        **scatter_context(match, scatter, target),
    )
