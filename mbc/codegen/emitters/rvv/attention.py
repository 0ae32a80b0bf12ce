"""attention on RVV: a register tile of queries, with vectors along keys, then values.

The keys of a head are turned once into tiles of columns in scratch, so that scores are
made of vectors without strides. Where only one tile of queries reads them they stay.
"""

from __future__ import annotations

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.headers import vector_header
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.values import Vectors
from mbc.codegen.expression import float_literal
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.attention import AttentionMatch
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target

BYTES_AT_LMUL = {1: "mf4", 2: "mf2", 4: "m1", 8: "m2"}
"""The LMUL of bytes that go with floats of an LMUL."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, AttentionMatch)
    tile = schedule["tile"]
    assert isinstance(tile, tuple)
    rows, keys = min(tile[0], match.queries), tile[1]
    rest = match.queries % rows
    tiles = [rows] if not rest else [rows, rest]
    turned = match.queries > rows or match.op.group() > 1
    scratch = [Buffer("s0", "f32", (rows, keys), "scratch")]
    if turned:
        columns = -(-match.keys // keys) * keys
        scratch.append(Buffer("s1", "f32", (columns, match.depth), "scratch"))
    frame = Frame(match, target, schedule, match.extents(), tuple(scratch))
    vectors = Vectors(number(schedule, "vector"))
    names = dict(zip("BHGQKDV", (name for name, _ in frame.constants)))
    return frame.code(
        "rvv/attention.c.j2",
        _headers(vectors),
        match=match,
        n=names,
        tiles=tiles,
        keys=keys,
        turned=turned,
        unroll=number(schedule, "unroll"),
        vectors=vectors,
        whole=Vectors(vectors.lmul, "vlmax"),
        bytes=BYTES_AT_LMUL[vectors.lmul],
        scale=float_literal(match.op.float_of("scale"), "f32"),
        mask_rows=[
            match.mask_index(names, ("b", "h", _query(r), "(start + j)"))
            for r in range(rows)
        ],
    )


def _headers(vectors: Vectors) -> set[str]:
    functions = ("exp", "reduce_sum", "reduce_maxnum")
    return {"scalar_math", *(vector_header(f, vectors.lmul) for f in functions)}


def _query(row: int) -> str:
    return f"(i + {row})" if row else "i"
