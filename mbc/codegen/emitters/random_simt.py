"""random on SIMT targets: an item draws some elements, neighbours on CPUs."""

from __future__ import annotations

from mbc.codegen.emitters.simt import SimtFrame
from mbc.codegen.expression import ScalarPrinter, float_literal, store_text
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.random import RandomMatch
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.targets import Target
from mbc.ir.ops.random import KEY_STEPS, MANTISSA, MULTIPLIERS, ROUNDS, TURN


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, RandomMatch)
    frame = SimtFrame(match, schedule, target, (("ELEMENTS", match.elements),))
    size = frame.number("parallel")
    group, each = (1, size) if target.is_cpu_style else (size, frame.number("unroll"))
    items = -(-match.elements // each)
    groups = -(-items // group)
    return frame.code(
        "common/random_simt.j2",
        [Launch(frame.label, (), (groups, 1, 1), (group, 1, 1))],
        kernel=frame.spelling.kernel.format(group),
        kind=match.kind,
        each=each,
        neighbours=target.is_cpu_style,
        items=groups * group,
        word="unsigned int",
        double_word=f"unsigned {target.types['i64']}",
        stream=match.op.int_of("stream"),
        rounds=ROUNDS,
        multipliers=MULTIPLIERS,
        key_steps=KEY_STEPS,
        lines=drawn_lines(match, target),
    )


def drawn_lines(match: RandomMatch, target: Target) -> list[str]:
    """From words w0 and w1 to the stored element i, in f32 or wider."""
    wide = "f64" if match.dtype == "f64" else "f32"
    real = target.types[wide]
    if match.kind == "bits":
        text = f"({target.types[match.dtype]})(int)w0"
        return [f"{store_text(match.dtype, 'r0', 'i', text)};"]
    if match.kind == "uniform":
        text = _fraction("w0", real, wide, MANTISSA[match.dtype])
        return [f"{store_text(match.dtype, 'r0', 'i', text)};"]
    log, sqrt, cos = (
        ScalarPrinter(target).function(name, wide) for name in ("log", "sqrt", "cos")
    )
    one, two = float_literal(1.0, wide), float_literal(-2.0, wide)
    turn = float_literal(TURN[wide == "f64"], wide)
    first, second = (
        _fraction(word, real, wide, MANTISSA["f32"]) for word in ("w0", "w1")
    )
    return [
        "// Box and Muller: a radius and an angle.",
        f"const {real} radius = {sqrt}({two} * {log}({one} - {first}));",
        f"const {real} angle = {turn} * ({second});",
        f"{store_text(match.dtype, 'r0', 'i', f'radius * {cos}(angle)')};",
    ]


def _fraction(word: str, real: str, wide: str, bits: int) -> str:
    """The upper `bits` of a word, in [0, 1)."""
    kept = word if bits == 32 else f"({word} >> {32 - bits})"
    return f"({real}){kept} * {float_literal(2.0**-bits, wide)}"
