"""Times products and convolutions in the matrix unit beside torch eager, interleaved.

Both sides are replayed from CUDA graphs, each behind a flushed L2 cache; torch does
without tf32. Errors are RMS, relative, against float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from xdsl.dialects.builtin import bf16, f16, f32
from xdsl.ir import Attribute

from mbc.codegen.program import Buffer, Program
from mbc.ir.attributes import Entry
from mbc.runtime.cuda.device import GUARD, Clock, Gpu, Memory
from mbc.runtime.cuda.nvrtc import Rejected
from tests.codegen.convolutions import conv, packed
from tests.codegen.cuda.kernels import product_of
from tests.codegen.cuda.samples import Sample, program_of, sample

SIDE = 4096
PANEL = 64
ORDERS = {"nn": "mk,kn->mn", "nt": "mk,nk->mn", "tn": "km,kn->mn"}
IMAGES = ((64, 64, 56, 64), (64, 128, 28, 128))
"""Images, channels, side and filters of convolutions 3x3."""
WITHOUT: Mapping[str, Entry] = {
    "tile": (128, 128, 16),
    "parallel": (16, 8),
    "matrix": 0,
}
WITHOUT_CONV: Mapping[str, Entry] = {**WITHOUT, "tile": (64, 128, 16)}


@dataclass(frozen=True)
class Case:
    """Variants of one computation, and torch's words for it."""

    name: str
    variants: Mapping[str, Sample]
    inputs: Sequence[Any]
    eager: Callable[..., Any]
    given: Sequence[Any]
    """The inputs as torch takes them."""
    flops: int


def bench_matrix_unit(rounds: int) -> list[dict[str, Any]]:
    gpu = Gpu()
    torch = gpu.torch
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    rows: list[dict[str, Any]] = []
    for case in [*_products(torch), *_convolutions(torch)]:
        rows += _time(gpu, case, rounds)
        torch.cuda.empty_cache()
    return rows


def _products(torch: Any) -> list[Case]:
    types: list[tuple[str, Attribute, Any]] = [
        ("f32", f32, torch.float32),
        ("f16", f16, torch.float16),
        ("bf16", bf16, torch.bfloat16),
    ]
    square = (SIDE, SIDE)
    found: list[Case] = []
    for name, element, dtype in types:
        x, y = (torch.randn(square, device="cuda").to(dtype) for _ in range(2))
        for order, equation in ORDERS.items():
            variants = {"default": _product(equation, element)}
            if name == "f32":
                variants["without"] = _product(equation, element, **WITHOUT)
            flops = 2 * SIDE**3
            given = (x.T if order == "tn" else x, y.T if order == "nt" else y)
            title = f"{name} {order}"
            found.append(Case(title, variants, (x, y), torch.matmul, given, flops))
    return found


def _product(equation: str, element: Attribute, **schedule: Entry) -> Sample:
    shapes = ((SIDE, SIDE), (SIDE, SIDE))
    return product_of(element, "gemm", equation, *shapes, **schedule)


def _convolutions(torch: Any) -> list[Case]:
    return [_convolution(torch, *shape) for shape in IMAGES]


def _convolution(torch: Any, n: int, c: int, side: int, f: int) -> Case:
    x = torch.randn(n, c, side, side, device="cuda")
    w = torch.randn(f, c, 3, 3, device="cuda")
    panels = w.reshape(f // PANEL, PANEL, c, 3, 3).permute(0, 2, 3, 4, 1).contiguous()
    shapes, body = (tuple(x.shape), tuple(panels.shape)), packed(conv(), f)
    variants = {
        "default": sample("conv", shapes, body),
        "without": sample("conv", shapes, body, **WITHOUT_CONV),
    }

    def eager(x: Any, w: Any) -> Any:
        return torch.nn.functional.conv2d(x, w, padding=1)

    flops = 2 * n * f * c * 9 * side * side
    title = f"conv 3x3 {c}->{f} at {side}"
    return Case(title, variants, (x, panels), eager, (x, w), flops)


def _time(gpu: Gpu, case: Case, rounds: int) -> list[dict[str, Any]]:
    exact = case.eager(*(value.double() for value in case.given))
    calls: list[Callable[[], object]] = [lambda: case.eager(*case.given)]
    errors = [_error(case.eager(*case.given), exact)]
    for variant in case.variants.values():
        memory = _memory(gpu, program_of([variant]))
        inputs, (result,) = (_views(memory, b) for b in _buffers(memory.program))
        for mine, value in zip(inputs, case.inputs, strict=True):
            mine.view(value.dtype).copy_(value.reshape(-1))
        call = gpu.caller(memory.program, memory)
        call()
        errors.append(_error(result.view(case.given[0].dtype), exact))
        calls.append(call)
    samples, _ = Clock(gpu.torch).measure(calls, rounds)
    names = ["eager", *case.variants]
    rows = [
        _row(case, name, times, samples[0], error)
        for name, times, error in zip(names, samples, errors, strict=True)
    ]
    for row in rows:
        print(row, flush=True)
    return rows


def _memory(gpu: Gpu, program: Program) -> Memory:
    loaded = gpu.load(program)
    if isinstance(loaded, Rejected):
        raise SystemExit(loaded.log)
    return Memory(gpu.torch, program, {}, call=0)


def _buffers(program: Program) -> tuple[Sequence[Buffer], Sequence[Buffer]]:
    return program.inputs, program.outputs


def _views(memory: Memory, buffers: Sequence[Buffer]) -> list[Any]:
    """The bytes of each buffer."""
    return [memory.storages[b.name][GUARD : GUARD + b.nbytes] for b in buffers]


def _error(found: Any, exact: Any) -> float:
    difference = found.double().reshape(-1) - exact.reshape(-1)
    return float(difference.pow(2).mean().sqrt() / exact.pow(2).mean().sqrt())


def _row(
    case: Case, name: str, times: list[float], eager: list[float], error: float
) -> dict[str, Any]:
    ratios = sorted(e / t for e, t in zip(eager, times, strict=True))
    tenth = len(ratios) // 10
    return {
        "case": case.name,
        "what": name,
        "us": round(median(times) / 1e3, 1),
        "TFLOP/s": round(case.flops / median(times) / 1e3, 1),
        "error": error,
        "over eager": round(median(ratios), 3),
        "spread": [round(ratios[tenth], 3), round(ratios[-1 - tenth], 3)],
    }
