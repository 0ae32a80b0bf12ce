"""Times emitted kernels against the device's copy and torch eager, interleaved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mbc.codegen.program import Buffer, Program
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply
from mbc.ir.attributes import Entry
from mbc.runtime.cuda.device import GUARD, Clock, Gpu, Memory
from mbc.runtime.cuda.nvrtc import Rejected
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
    eager: Callable[[list[Any]], Any]
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


THREADS: Schedules = [{"parallel": n} for n in (128, 256, 512, 1024)]
CHAINS: Schedules = [
    {"unroll": unroll, "parallel": parallel, "vector": vector}
    for unroll, parallel, vector in (
        (1, 256, 4),
        (2, 256, 4),
        (4, 256, 4),
        (2, 512, 4),
        (4, 128, 4),
        (4, 256, 1),
    )
]
TILES: Schedules = [
    {"tile": tile, "parallel": parallel, "matrix": products}
    for tile, parallel, products in (
        ((128, 128, 16), (16, 8), 0),
        ((128, 128, 16), (16, 16), 0),
        ((128, 64, 16), (8, 16), 0),
        ((128, 128, 16), (8, 16), 3),
        ((128, 64, 16), (8, 16), 3),
        ((64, 64, 16), (8, 8), 3),
    )
]
SHAPE = (ROWS, LENGTH)
WHOLE = 4 * ROWS * LENGTH
PRODUCT = 2 * SIDE**3


def cases(torch: Any) -> list[Case]:
    return [*_row_cases(torch), *_reductions(), *_products()]


def _row_cases(torch: Any) -> list[Case]:
    nn = torch.nn.functional
    return [
        Case(
            softmax("softmax", SHAPE),
            THREADS,
            lambda v: torch.softmax(v[0], 1),
            2 * WHOLE,
        ),
        Case(
            sample("chain", [SHAPE], silu_chain),
            CHAINS,
            lambda v: torch.tanh(nn.silu(v[0]) * 0.5 + 1),
            2 * WHOLE,
        ),
        Case(
            layer_norm("layer_norm", *SHAPE),
            THREADS,
            lambda v: nn.layer_norm(v[0], (LENGTH,), *v[1:]),
            2 * WHOLE,
        ),
    ]


def _reductions() -> list[Case]:
    columns = reduction("column_sum", SHAPE, "sum", (0,))
    rows = reduction("row_max", SHAPE, "max", (1,))
    everything = reduction("sum_all", (ROWS * LENGTH,), "sum", (0,))
    return [
        Case(columns, THREADS, lambda v: v[0].sum(0), WHOLE),
        Case(rows, THREADS, lambda v: v[0].amax(1), WHOLE),
        Case(everything, THREADS, lambda v: v[0].sum(0), WHOLE),
    ]


def _products() -> list[Case]:
    square = (SIDE, SIDE)
    plain = product("gemm", "mk,kn->mn", square, square)
    transposed = product("gemm_nt", "mk,nk->mn", square, square)
    return [
        Case(plain, TILES, lambda v: v[0] @ v[1], 0, PRODUCT),
        Case(transposed, TILES[:2], lambda v: v[0] @ v[1].T, 0, PRODUCT),
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
    source = torch.empty(ROWS * LENGTH, device="cuda")
    variants = [case.sample]
    variants += [replace(case.sample, schedule=s) for s in case.schedules]
    memories = [_memory(gpu, program_of([variant])) for variant in variants]
    inputs, _ = _values(memories[0])
    for value in inputs:
        value.normal_()
    wanted = case.eager(inputs)
    names, notes = ["copy", "eager"], ["", ""]
    calls: list[Callable[[], object]] = [source.clone, lambda: case.eager(inputs)]
    for variant, memory in zip(variants, memories, strict=True):
        own, result = _values(memory)
        for mine, first in zip(own, inputs, strict=True):
            mine.copy_(first)
        call = gpu.caller(memory.program, memory)
        call()
        names.append(variant.code().schedule)
        notes.append(_verdict(result.reshape(wanted.shape), wanted))
        calls.append(call)
    samples, _ = Clock(torch).measure(calls, rounds)
    copy = 2 * source.nbytes / median(samples[0])
    table = zip(names, samples, notes, strict=True)
    return [_row(case, n, s, note, copy) for n, s, note in table]


def _memory(gpu: Gpu, program: Program) -> Memory:
    loaded = gpu.load(program)
    if isinstance(loaded, Rejected):
        raise SystemExit(loaded.log)
    return Memory(gpu.torch, program, {}, call=0)


def _values(memory: Memory) -> tuple[list[Any], Any]:
    """The inputs and the result as tensors of f32."""

    def tensor(buffer: Buffer) -> Any:
        storage = memory.storages[buffer.name][GUARD : GUARD + buffer.nbytes]
        return storage.view(memory.torch.float32).reshape(buffer.shape)

    (result,) = memory.program.outputs
    return [tensor(buffer) for buffer in memory.program.inputs], tensor(result)


def _verdict(found: Any, wanted: Any) -> str:
    error = float((found - wanted).abs().max())
    close = error <= TOLERANCE * float(wanted.abs().max())
    return "" if close else f"WRONG by {error:g}"


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
