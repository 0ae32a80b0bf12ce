"""random on RVV: words of a whole vector of counters at once."""

from __future__ import annotations

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.headers import vector_header
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.expression import float_literal
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.random import RandomMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target
from mbc.ir.ops.random import KEY_STEPS, MANTISSA, MULTIPLIERS, ROUNDS, TURN


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, RandomMatch)
    lmul, normal = number(schedule, "vector"), match.kind == "normal"
    frame = Frame(match, target, schedule, (("ELEMENTS", match.elements),))
    called = [*(("log", "cos") if normal else ())]
    called += ["bf16_bits"] if match.dtype == "bf16" else []
    headers = {vector_header(name, lmul) for name in called}
    bits = MANTISSA.get("f32" if normal else match.dtype, 0)
    return frame.code(
        "rvv/random.c.j2",
        headers,
        count=frame.constants[0][0],
        kind=match.kind,
        dtype=match.dtype,
        stream=match.op.int_of("stream"),
        rounds=ROUNDS,
        multipliers=MULTIPLIERS,
        key_steps=KEY_STEPS,
        shift=32 - bits,
        unit=float_literal(2.0**-bits, "f64" if match.dtype == "f64" else "f32"),
        turn=float_literal(TURN[0], "f32"),
        lmul=lmul,
        words=f"vuint32m{lmul}_t",
        floats=f"vfloat32m{lmul}_t",
        u=f"u32m{lmul}",
        f=f"f32m{lmul}",
    )
