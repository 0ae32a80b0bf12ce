"""Times emitted kernels against the device's copy and torch eager, interleaved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply
from mbc.ir.attributes import Entry
from mbc.runtime.cuda.device import GUARD, Clock, Gpu, Memory
from mbc.runtime.cuda.nvrtc import Rejected
from mbc.runtime.rvv.dispatch import separate_buffers
from tests.codegen.cuda.kernels import (
    layer_norm,
    product,
    reduction,
    softmax,
)
from tests.codegen.cuda.samples import Sample, program_of, sample

ROWS, LENGTH = 16384, 4096
SIDE = 4096
Schedules = Sequence[Mapping[str, Entry]]
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Case:
    """A kernel, the schedules to try (the default comes first) and torch's words."""

    sample: Sample
    schedules: Schedules
    eager: Callable[..., Any]
    moved: int
    """Bytes, or 0 where arithmetic bounds it."""
    flops: int = 0


def silu_chain(x: SSAValue) -> SSAValue:
    """tanh(x / (1 + exp(-x)) * 0.5 + 1)."""

    def body(p: SSAValue) -> SSAValue:
        e = math.ExpOp(arith.NegfOp(p).result).result
        s = arith.DivfOp(p, add(e, constant(1.0, f32))).result
        half = multiply(s, constant(0.5, f32))
        return math.TanhOp(add(half, constant(1.0, f32))).result

    return build.elementwise([x], (ROWS, LENGTH), f32, body)


def cases(torch: Any) -> list[Case]:
    nn = torch.nn.functional
    whole = ROWS * LENGTH * 4
    threads: Schedules = [{"parallel": n} for n in (128, 256, 512, 1024)]
    chains: Schedules = [
        {"unroll": u, "parallel": p, "vector": v}
        for u, p, v in (
            (1, 256, 4),
            (2, 256, 4),
            (4, 256, 4),
            (2, 512, 4),
            (4, 128, 4),
            (4, 256, 1),
        )
    ]
    tiles: Schedules = [
        {"tile": (128, 128, 16), "parallel": (16, 16)},
        {"tile": (128, 64, 16), "parallel": (16, 16)},
        {"tile": (128, 64, 16), "parallel": (8, 16)},
        {"tile": (64, 64, 16), "parallel": (8, 16)},
        {"tile": (64, 64, 16), "parallel": (8, 8)},
    ]
    shape = (ROWS, LENGTH)
    return [
        Case(
            softmax("softmax", shape),
            threads,
            lambda x: torch.softmax(x, 1),
            2 * whole,
        ),
        Case(
            sample("chain", [shape], silu_chain),
            chains,
            lambda x: torch.tanh(nn.silu(x) * 0.5 + 1),
            2 * whole,
        ),
        Case(
            layer_norm("layer_norm", *shape),
            threads,
            lambda x, g, b: nn.layer_norm(x, (LENGTH,), g, b),
            2 * whole,
        ),
        Case(
            reduction("column_sum", shape, "sum", (0,)),
            threads,
            lambda x: x.sum(0),
            whole,
        ),
        Case(
            reduction("row_max", shape, "max", (1,)),
            threads,
            lambda x: x.amax(1),
            whole,
        ),
        Case(
            reduction("sum_all", (ROWS * LENGTH,), "sum", (0,)),
            threads,
            lambda x: x.sum(0),
            whole,
        ),
        Case(
            product("gemm", "mk,kn->mn", (SIDE, SIDE), (SIDE, SIDE)),
            tiles,
            lambda x, y: x @ y,
            0,
            2 * SIDE**3,
        ),
        Case(
            product("gemm_nt", "mk,nk->mn", (SIDE, SIDE), (SIDE, SIDE)),
            tiles[:2],
            lambda x, y: x @ y.T,
            0,
            2 * SIDE**3,
        ),
    ]


def bench(rounds: int) -> list[dict[str, Any]]:
    gpu = Gpu()
    gpu.torch.manual_seed(0)
    gpu.torch.backends.cuda.matmul.allow_tf32 = False
    rows: list[dict[str, Any]] = []
    for case in cases(gpu.torch):
        rows += _time(gpu, case, rounds)
        gpu.torch.cuda.empty_cache()
    return rows


def _time(gpu: Gpu, case: Case, rounds: int) -> list[dict[str, Any]]:
    """Rows for copy, eager and each schedule, all timed in the same rounds."""
    torch = gpu.torch
    variants = [
        case.sample,
        *(replace(case.sample, schedule=s) for s in case.schedules),
    ]
    programs = [program_of([variant]) for variant in variants]
    memory = Memory(torch, programs[0], {})
    values = [_tensor(torch, memory, b) for b in separate_buffers(programs[0])]
    inputs = values[: len(programs[0].inputs)]
    for value in inputs:
        value.normal_()
    source = torch.empty(ROWS * LENGTH, device="cuda")
    names = ["copy", "eager"]
    calls: list[Callable[[], object]] = [
        lambda: source.clone(),
        lambda: case.eager(*inputs),
    ]
    wanted = case.eager(*inputs)
    notes = ["", ""]
    for variant, program in zip(variants, programs, strict=True):
        names.append(variant.code().schedule)
        loaded = gpu.load(program)
        if isinstance(loaded, Rejected):
            raise SystemExit(loaded.log)
        scratch = _with_scratch(torch, memory, program)
        calls.append(gpu.caller(program, scratch))
        calls[-1]()
        error = (values[-1].reshape(wanted.shape) - wanted).abs().max()
        close = bool(error <= TOLERANCE * wanted.abs().max())
        notes.append("" if close else f"WRONG by {float(error):g}")
    samples, _ = Clock(torch).measure(calls, rounds)
    copy = 2 * source.nbytes / median(samples[0])
    table = zip(names, samples, notes, strict=True)
    return [_row(case, n, s, note, copy) for n, s, note in table]


def _tensor(torch: Any, memory: Memory, buffer: Any) -> Any:
    storage = memory.storages[buffer.name]
    view = storage[GUARD : GUARD + buffer.nbytes].view(torch.float32)
    return view.reshape(buffer.shape)


def _with_scratch(torch: Any, memory: Memory, program: Any) -> Memory:
    """The same buffers, with an arena of the size that this program wants."""
    own = Memory(torch, replace(program, buffers=()), {})
    own.program = program
    own.storages = memory.storages
    return own


def _row(
    case: Case, name: str, samples: list[float], note: str, copy: float
) -> dict[str, Any]:
    ns = median(samples)
    moved = 2 * ROWS * LENGTH * 4 if name == "copy" else case.moved
    return {
        "case": case.sample.name,
        "what": name,
        "ns": ns,
        "gb_per_s": moved / ns,
        "of_copy": moved / ns / copy,
        "tflops": 0.0 if name == "copy" else case.flops / ns / 1e3,
        "note": note,
        "samples": samples,
    }


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    print(f"{'case':<12}{'us':>10}{'GB/s':>8}{'of copy':>9}{'TFLOP/s':>9}  what")
    for row in rows:
        print(
            f"{row['case']:<12}{row['ns'] / 1e3:>10.1f}{row['gb_per_s']:>8.0f}"
            f"{row['of_copy']:>9.1%}{row['tflops']:>9.1f}  {row['what']} {row['note']}"
        )
