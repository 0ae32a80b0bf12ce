"""map on RVV: plain loops around strips of vectors along the last loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.headers import vector_header
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.strips import strips, suffix
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.expression import load_text
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.map import MapMatch
from mbc.codegen.loops import Access, Nest, index_text
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MapMatch)
    nest = match.nest if match.nest.extents else _one_loop(match.nest)
    names = tuple((f"N{d}", extent) for d, extent in enumerate(nest.extents))
    frame = Frame(match, target, schedule, names)
    vectors = Vectors(number(schedule, "vector"))
    indices = [f"i{d}" for d in range(len(names))]
    headers = _of_stores(nest, vectors)

    def at(access: Access, inner: str) -> str:
        return index_text(access, [*indices[:-1], inner], frame.constants)

    def strip(s: int, inner: str) -> list[str]:
        printer = VectorPrinter(target, vectors, headers=headers)
        arguments: list[Value] = []
        for j, access in enumerate(nest.inputs):
            if not access.strides[-1]:
                arguments.append(Value(f"x{j}", "scalar"))
                continue
            place = access.buffer, at(access, inner), access.strides[-1]
            load = vectors.load(*place, access.dtype)
            printer.declare(f"x{j}{suffix(s)}", load)
            arguments.append(Value(f"x{j}{suffix(s)}", "vector"))
        unused = [Value("0.0f", "scalar")] * len(nest.outputs)
        block = match.op.body.block
        results = printer.body(block, [*arguments, *unused], suffix(s))
        for access, value in zip(nest.outputs, results, strict=True):
            text = vectors.as_vector(value)
            index = at(access, inner)
            store = vectors.store(access.buffer, index, 1, text, access.dtype)
            printer.lines.append(store)
        return printer.lines

    extents = [name for name, _ in frame.constants]
    unroll = number(schedule, "unroll")
    body = strips(indices[-1], extents[-1], vectors, unroll, strip)
    loops, uniforms = list(zip(indices[:-1], extents)), _uniforms(nest, at)
    return frame.code(
        "rvv/map.c.j2", headers, loops=loops, uniforms=uniforms, strip=body
    )


def _of_stores(nest: Nest, vectors: Vectors) -> set[str]:
    """The headers with what stores call."""
    short = any(access.dtype == "bf16" for access in nest.outputs)
    return {vector_header("bf16_bits", vectors.lmul)} if short else set()


def _uniforms(nest: Nest, at: Callable[[Access, str], str]) -> list[str]:
    """Declarations of what does not change along the innermost loop."""
    return [
        f"const float x{j} = {load_text(access.dtype, access.buffer, at(access, '0'))};"
        for j, access in enumerate(nest.inputs)
        if not access.strides[-1]
    ]


def _one_loop(nest: Nest) -> Nest:
    """A single element as a loop of extent 1."""

    def widened(access: Access) -> Access:
        return replace(access, strides=(1,))

    inputs, outputs = map(widened, nest.inputs), map(widened, nest.outputs)
    return Nest((1,), ("parallel",), tuple(inputs), tuple(outputs))
