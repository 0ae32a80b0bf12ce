"""The largest error of the math functions of a target, in units of the last place.

    python -m tools.math_error rvv exp tanh            a sample of all exponents
    python -m tools.math_error opencl sin --all        all 2^32 (minutes; RVV: hours)

References are NumPy's in float64, whose own errors are 2^-29 of a unit of float. A
result that is NaN, or zero with the wrong sign, where it must not be, counts as
infinitely wrong; so does any other value where it must be.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mbc.codegen.emitters.cuda.headers import header_text as cuda_header
from mbc.codegen.emitters.opencl.headers import header_text as opencl_header
from mbc.codegen.emitters.opencl.headers import helpers_used
from mbc.codegen.emitters.opencl.vector_body import SPELLINGS, WIDE
from mbc.codegen.emitters.rvv.headers import header_text as rvv_header
from mbc.codegen.emitters.rvv.headers import vector_header
from mbc.codegen.expression import FUNCTIONS, ScalarPrinter
from mbc.codegen.math_accuracy import MATH_ACCURACY
from mbc.codegen.program import Buffer, Launch, Program
from mbc.codegen.targets import target_named
from mbc.ir.scalars import erf, round_half_away, rsqrt
from mbc.runtime.outcome import Completed, Failed, Measured, RunOutcome
from mbc.runtime.runner import Arrays, runner_for
from mbc.runtime.rvv.build import build_program
from mbc.runtime.rvv.emulate import Emulator
from mbc.runtime.rvv.job import Damage, make_job
from mbc.runtime.toolchain import Missing, find_qemu_riscv64
from mbc.runtime.trial import Case, Trial

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Function = Callable[..., Doubles]

REFERENCES: dict[str, Function] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "ceil": np.ceil,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": erf,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fabs": np.abs,
    "floor": np.floor,
    "fmod": np.fmod,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "pow": np.power,
    "rint": np.rint,
    "round": round_half_away,
    "rsqrt": rsqrt,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}

BINARY = frozenset({"atan2", "copysign", "fmod", "pow"})
MARKS = (
    *(0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 10.0, 20.0, 0.95, 4.0, 98304.0),
    *(88.7228, 88.0297, 89.416, 87.3365, 103.2789, 103.9721, 104.0, 128.0, 126.0),
    *(149.0, 150.0, 151.0, 0.78539816, 1.5707964, 3.1415927, 2**22, 2**23, 2**24),
    *(2**31, 2**-126, 2**-149, 2**-25, 2**-13, 2**-6, 3.4028235e38, 1e10),
)
"""Where functions change their ways, overflow, underflow or end."""


def sample(count: int, seed: int = 1) -> Floats:
    """Every exponent and sign with random mantissas, then what is near 0 in uniform
    steps, the neighbours of `MARKS`, infinities, NaN and zeros of both signs."""
    random = np.random.default_rng(seed)
    every = np.arange(count, dtype=np.uint32) % 512 << 23
    spread = (every | random.integers(0, 2**23, count, np.uint32)).view(np.float32)
    spread = np.where(np.isnan(spread), np.float32(0), spread)
    near = random.uniform(-12, 12, count // 8).astype(np.float32)
    wide = random.uniform(-160, 160, count // 8).astype(np.float32)
    steps = np.arange(-20, 21, dtype=np.int32)
    marks = np.array(MARKS, np.float32).view(np.int32)[:, None] + steps
    marks = marks.ravel()[marks.ravel() >= 0].view(np.float32)
    marks = marks[np.isfinite(marks)]
    ends = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], np.float32)
    found = np.concatenate([spread, near, wide, marks, -marks, ends])
    return np.resize(found, -(-len(found) // 16) * 16)


def partners(x: Floats, seed: int = 2) -> Floats:
    """Second arguments: as wild as the first ones, or of ordinary size, or special."""
    random = np.random.default_rng(seed)
    wild = random.permutation(x)
    tame = random.uniform(-30, 30, len(x)).astype(np.float32)
    ends = np.array([0, -0.0, 1, -1, 2, 3, -3, 0.5, np.inf, -np.inf, np.nan])
    chosen = random.choice(ends.astype(np.float32), len(x))
    kind = random.integers(0, 4, len(x))
    return np.select(
        [kind == 0, kind == 1, kind == 2], [wild, tame, np.rint(tame)], chosen
    )


def ulps(found: Floats, wanted: Doubles) -> Doubles:
    """How many units of the last place of float `found` is off, denormals included."""
    exact = np.float64(2.0**128 - 2.0**103)
    wanted = np.where(np.abs(wanted) >= exact, np.copysign(np.inf, wanted), wanted)
    value = found.astype(np.float64)
    value = np.where(np.isinf(value), np.copysign(2.0**128, value), value)
    limit = np.where(np.isinf(wanted), np.copysign(2.0**128, wanted), wanted)
    exponent = np.frexp(np.clip(np.abs(limit), 2.0**-149, 2.0**127))[1].astype(np.int64)
    unit = np.ldexp(1.0, np.maximum(exponent - 24, -149))
    error = np.abs(value - limit) / unit
    zero = (value == 0) & (np.signbit(value) != np.signbit(wanted))
    error = np.where(zero | (np.isnan(value) != np.isnan(wanted)), np.inf, error)
    return np.where(np.isnan(value) & np.isnan(wanted), 0.0, error)


# ---- programs: f_<name>(x, y, r_<name>) for every function ----


def rvv_source(names: Sequence[str], count: int, lmul: int = 4) -> str:
    direct = {"fabs": "vfabs", "sqrt": "vfsqrt", "copysign": "vfsgnj"}
    own = [name for name in names if name not in direct]
    parts = [rvv_header({vector_header(name, lmul) for name in own})]
    for name in names:
        call = f"__riscv_{direct[name]}" if name in direct else f"mbc_{name}_f32m{lmul}"
        second = f"__riscv_vle32_v_f32m{lmul}(y + i, vl), " if name in BINARY else ""
        parts.append(
            f"static void f_{name}(const float *x, const float *y, float *r) {{\n"
            f"  for (size_t i = 0, vl; i < {count}; i += vl) {{\n"
            f"    vl = __riscv_vsetvl_e32m{lmul}({count} - i);\n"
            f"    vfloat32m{lmul}_t v = __riscv_vle32_v_f32m{lmul}(x + i, vl);\n"
            f"    __riscv_vse32(r + i, {call}(v, {second}vl), vl);\n  }}\n}}\n"
        )
    return "".join(parts)


def scalar_calls(target: str) -> dict[str, str]:
    """What the expression printer writes for each function of `v` and `w`."""
    printer = ScalarPrinter(target_named(target))
    calls = {
        name: f"{printer.function(name, 'f32')}(v{', w' if name in BINARY else ''})"
        for name in REFERENCES
    }
    return {**calls, "rsqrt": f"1.0f / {printer.function('sqrt', 'f32')}(v)"}


def rvv_scalar_source(names: Sequence[str], count: int) -> str:
    parts, calls = [rvv_header({"scalar_math"})], scalar_calls("rvv")
    for name in names:
        parts.append(
            f"static void f_{name}(const float *x, const float *y, float *r) {{\n"
            f"  for (int i = 0; i < {count}; i++) {{\n"
            f"    const float v = x[i], w = y[i];\n    r[i] = {calls[name]};\n"
            "  }\n}\n"
        )
    return "".join(parts)


def opencl_source(names: Sequence[str], count: int) -> str:
    """In vectors of 4; a program of scalars is spelled alike."""
    spelled = {base: SPELLINGS[op] for op, base in FUNCTIONS.items()}
    spelled["rsqrt"] = SPELLINGS["math.rsqrt"]
    spelled |= {FUNCTIONS[op]: text for op, text in WIDE.items()}
    parts: list[str] = []
    for name in names:
        parts.append(
            f"__kernel void f_{name}(__global const float *x, __global const float *y, "
            "__global float *r)\n{\n  const int i = get_global_id(0);\n"
            "  const float4 v = vload4(i, x), w = vload4(i, y);\n"
            f"  vstore4({spelled[name].format('v', 'w', width=4)}, i, r);\n}}\n"
        )
    text = "".join(parts)
    return opencl_header(helpers_used(text)) + text


def cuda_source(names: Sequence[str], count: int) -> str:
    parts, calls = [cuda_header(set())], scalar_calls("cuda")
    for name in names:
        parts.append(
            f'extern "C" __global__ void f_{name}(const float *x, const float *y, '
            "float *r) {\n  const int i = blockIdx.x * 128 + threadIdx.x;\n"
            f"  if (i >= {count}) return;\n  const float v = x[i], w = y[i];\n"
            f"  r[i] = {calls[name]};\n}}\n"
        )
    return "".join(parts)


def program(target: str, names: Sequence[str], count: int, source: str) -> Program:
    block = (128, 1, 1) if target == "cuda" else (1, 1, 1)
    items = {"rvv": 1, "opencl": count // 4, "cuda": -(-count // 128)}[target]
    buffers = [Buffer(name, "f32", (count,), "input") for name in "xy"]
    buffers += [Buffer(f"r_{name}", "f32", (count,), "output") for name in names]
    launches = (
        Launch(f"f_{name}", ("x", "y", f"r_{name}"), (items, 1, 1), block)
        for name in names
    )
    return Program(target, source, tuple(buffers), tuple(launches))


SOURCES: dict[str, Callable[[Sequence[str], int], str]] = {
    "rvv": rvv_source,
    "rvv scalar": rvv_scalar_source,
    "opencl": opencl_source,
    "cuda": cuda_source,
}
"""Texts by target; `rvv scalar` is what its code outside of vector loops calls."""


@dataclass(frozen=True)
class Worst:
    """The largest error of a function, and the arguments that give it."""

    name: str
    error: float
    x: float
    y: float


Run = Callable[[Program, Arrays], RunOutcome]


def run_at_vlen_256(program: Program, inputs: Arrays) -> RunOutcome:
    """One run in the emulator, where a runner would make three."""
    qemu, built = find_qemu_riscv64(), build_program(program)
    if isinstance(qemu, Missing):
        return Failed("blocked", qemu.reason)
    if isinstance(built, Failed):
        return built
    job = make_job(program, inputs, warm_calls=0)
    raw = Emulator(qemu, 600).run(built, job, 256)
    outputs = job.outputs(raw) if isinstance(raw, bytes) else raw
    match outputs:
        case Failed():
            return outputs
        case Damage(message):
            return Failed("crash", message)
        case _:
            return Completed(outputs)


def worst_errors(
    run: Run, kind: str, names: Sequence[str], x: Floats, y: Floats, lmul: int = 4
) -> list[Worst]:
    """Runs one program of all `names` on the same arguments."""
    source = (
        rvv_source(names, len(x), lmul)
        if kind == "rvv"
        else SOURCES[kind](names, len(x))
    )
    target = kind.split()[0]
    outcome = run(program(target, names, len(x), source), {"x": x, "y": y})
    assert isinstance(outcome, Completed), outcome
    found: list[Worst] = []
    for name in names:
        arguments = (x, y) if name in BINARY else (x,)
        with np.errstate(all="ignore"):
            wanted = REFERENCES[name](*(a.astype(np.float64) for a in arguments))
            error = ulps(outcome.outputs[f"r_{name}"].astype(np.float32), wanted)
        at = int(np.argmax(error))
        found.append(Worst(name, float(error[at]), float(x[at]), float(y[at])))
    return found


@dataclass(frozen=True)
class Cost:
    """Vector instructions of one strip, and modelled cycles of one element."""

    name: str
    instructions: float
    cycles: float


def rvv_costs(names: Sequence[str], lmul: int = 4, count: int = 4096) -> list[Cost]:
    """In L1, at VLEN = DLEN = 256, with loads, stores and lengths."""
    x = np.random.default_rng(1).uniform(0.1, 0.9, count).astype(np.float32)
    programs = [
        program("rvv", [name], count, rvv_source([name], count, lmul)) for name in names
    ]
    unjudged = Case({"x": x, "y": x}, lambda _: "")  # errors are found elsewhere
    trials = [Trial(each, (unjudged,)) for each in programs]
    found: list[Cost] = []
    for name, measured in zip(names, runner_for("rvv").measure(trials, 1)):
        assert isinstance(measured, Measured), measured
        strips = count / (8 * lmul)
        instructions = measured.detail["vector_insns"] / strips
        found.append(Cost(name, instructions, measured.value / count))
    return found


def allowed(kind: str, name: str) -> float:
    """What `name` may be off by in a program of that kind."""
    accuracy = MATH_ACCURACY[name]
    stated = {"rvv": accuracy.rvv, "opencl": accuracy.opencl, "cuda": accuracy.cuda}
    if kind == "rvv scalar" and stated["rvv"] and name != "rsqrt":
        return 0.501  # in double, and rounded once
    return stated[kind.split()[0]]


def chunks(everything: bool) -> Iterator[Floats]:
    """All floats by rising bits, in pieces, or one sample."""
    if not everything:
        yield sample(1 << 20)
        return
    for start in range(0, 1 << 32, 1 << 22):
        yield np.arange(start, start + (1 << 22), dtype=np.uint32).view(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=SOURCES)
    parser.add_argument("names", nargs="*", help=", ".join(REFERENCES))
    parser.add_argument("--all", action="store_true", help="all 2^32 floats")
    parser.add_argument("--cost", action="store_true", help="of RVV, not the error")
    given = parser.parse_intermixed_args()
    if unknown := set(given.names) - set(REFERENCES):
        parser.error(f"no function is called {unknown.pop()}")
    names = given.names or list(REFERENCES)
    if given.cost:
        for cost in rvv_costs(names):
            print(f"{cost.name:9} {cost.instructions:6.1f} {cost.cycles:6.2f}")
        return
    run = (
        run_at_vlen_256 if given.kind.startswith("rvv") else runner_for(given.kind).run
    )
    worst = {name: Worst(name, 0.0, 0.0, 0.0) for name in names}
    for x in chunks(given.all):
        for found in worst_errors(run, given.kind, names, x, partners(x)):
            worst[found.name] = max(worst[found.name], found, key=lambda w: w.error)
    for name, found in worst.items():
        at = f"({found.x!r}, {found.y!r})" if name in BINARY else f"({found.x!r})"
        print(f"{name:9} {found.error:8.4f} of {allowed(given.kind, name):g}   at {at}")


if __name__ == "__main__":
    main()
