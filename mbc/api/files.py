"""The files of an artifact: kernels, and what a person needs to build and call them.

Targets that Python drives get their translation unit. A host target gets a C entry
with a plain ABI, a header, a `main.c` that runs the model on files, and a Makefile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mbc.codegen.model import Argument, FunctionCode, ModelCode, Result
from mbc.codegen.program import Buffer, Launch
from mbc.codegen.render import render
from mbc.ir.types import Array

ENTRY_MARK = "// ---- Entry points ----"
"""Between the kernels and the entry points of a host target's source file."""


def kernels_of(text: str) -> str:
    """The translation unit of kernels out of a saved source file."""
    return text.partition(f"\n{ENTRY_MARK}\n")[0]


def source_files(code: ModelCode) -> dict[str, str]:
    """File name to text, the translation unit first."""
    return FILES[code.target.name](code)


def unit_only(code: ModelCode) -> dict[str, str]:
    return {f"model{code.target.suffix}": code.source}


def host_files(code: ModelCode) -> dict[str, str]:
    functions = [entry(code.forward, "forward")]
    if code.prepare is not None:
        functions.insert(0, entry(code.prepare, "prepare"))
    context: dict[str, Any] = {"functions": functions, "types": code.target.types}
    entries = render("rvv/entry.c.j2", **context)
    compiler, _, flags = code.target.build_notes.partition(" ")
    return {
        f"model{code.target.suffix}": f"{code.source}\n{ENTRY_MARK}\n{entries}",
        "model.h": render("rvv/model.h.j2", **context),
        "main.c": render("rvv/main.c.j2", **main_context(code)),
        "Makefile": render(
            "rvv/Makefile.j2",
            compiler=compiler,
            flags=flags,
            vlen=code.target.option("vlen"),
        ),
    }


@dataclass
class Area:
    """Arrays one behind the other, each at a multiple of 64 bytes."""

    name: str
    offsets: dict[str, int] = field(default_factory=dict[str, int])
    nbytes: int = 0
    layout: list[str] = field(default_factory=list[str])

    def add(self, key: str, buffer: Buffer) -> None:
        if key in self.offsets:
            return
        shape = "x".join(str(extent) for extent in buffer.shape)
        self.offsets[key] = self.nbytes
        self.layout.append(
            f"{self.name} + {self.nbytes}: {key}, {buffer.dtype} {shape}"
        )
        self.nbytes += -(-buffer.nbytes // 64) * 64

    def at(self, key: str) -> str:
        return f"(void *)({self.name} + {self.offsets[key]})"


def areas_of(code: ModelCode) -> dict[str, Area]:
    """Where main.c keeps weights, inputs, outputs and prepared values."""
    areas = {n: Area(n) for n in ("weights", "inputs", "prepared", "outputs")}
    for function in functions_of(code):
        for argument in function.arguments:
            buffer = function.program.by_name[argument.buffer]
            kind = {"parameter": "weights", "input": "inputs"}.get(argument.kind)
            if kind is not None:
                areas[kind].add(argument.name, buffer)
    for area, function in (("prepared", code.prepare), ("outputs", code.forward)):
        for index, r in enumerate(function.results if function else ()):
            shaped = Buffer(f"y{index}", r.dtype, r.shape, "output")
            areas[area].add(f"{index}", shaped)
    return areas


def functions_of(code: ModelCode) -> list[FunctionCode]:
    return [f for f in (code.prepare, code.forward) if f is not None]


def main_context(code: ModelCode) -> dict[str, Any]:
    areas = areas_of(code)
    calls: list[str] = []
    named = [("prepare", code.prepare), ("forward", code.forward)]
    for name, function in named:
        if function is None:
            continue
        arguments = [_argument(a, areas) for a in function.arguments]
        results = areas["prepared" if name == "prepare" else "outputs"]
        arguments += [results.at(str(i)) for i in range(len(function.results))]
        calls.append(f"model_{name}({', '.join([*arguments, 'arena'])});")
    arena = max(f.program.arena_bytes for f in functions_of(code))
    sizes = {name: area.nbytes for name, area in areas.items()}
    return {
        "areas": [*((n, max(64, b)) for n, b in sizes.items()), ("arena", arena + 64)],
        "sizes": sizes,
        "calls": calls,
        "layout": [
            line for n in ("weights", "inputs", "outputs") for line in areas[n].layout
        ],
    }


def _argument(argument: Argument, areas: Mapping[str, Area]) -> str:
    match argument.kind:
        case "parameter":
            return areas["weights"].at(argument.name)
        case "prepared":
            return areas["prepared"].at(str(argument.index))
        case _:
            return areas["inputs"].at(argument.name)


FILES: dict[str, Callable[[ModelCode], dict[str, str]]] = {
    "cuda": unit_only,
    "opencl": unit_only,
    "rvv": host_files,
}


def entry(function: FunctionCode, name: str) -> dict[str, Any]:
    """What the entry templates say of one function."""
    program = function.program
    buffers = program.by_name
    inputs = [described(buffers[a.buffer], a.kind, a.name) for a in function.arguments]
    outputs = [result(r, i, buffers) for i, r in enumerate(function.results)]
    lines = [line for launch in program.launches for line in call(launch, buffers)]
    scratch = [
        {"name": b.name, "type": b.dtype, "offset": b.offset}
        for b in buffers.values()
        if b.role == "scratch" and not b.view_of
    ]
    return {
        "name": name,
        "inputs": inputs,
        "outputs": outputs,
        "scratch": scratch,
        "arena": program.arena_bytes,
        "lines": lines,
    }


def described(buffer: Buffer, kind: str, name: str) -> dict[str, Any]:
    return {
        "name": buffer.name,
        "dtype": buffer.dtype,
        "bytes": buffer.nbytes,
        "kind": kind,
        "meaning": name or kind,
        "shape": list(buffer.shape),
    }


def result(result: Result, index: int, buffers: dict[str, Buffer]) -> dict[str, Any]:
    """`source` is where a result that is no output buffer of its own is copied from."""
    own = buffers[result.buffer].role == "output" and result.buffer == f"y{index}"
    source = "" if own else f"{result.buffer} + {result.offset}"
    shaped = Buffer(f"y{index}", result.dtype, result.shape, "output")
    return {
        "name": shaped.name,
        "dtype": result.dtype,
        "bytes": shaped.nbytes,
        "shape": list(result.shape),
        "source": source,
        "meaning": result.updates and f"new value of {result.updates}",
    }


def call(launch: Launch, buffers: dict[str, Buffer]) -> list[str]:
    """The C statement of a launch."""
    args = ", ".join(pointer(buffers[name]) for name in launch.args)
    if launch.steps == 1:
        return [f"{launch.function}({args});"]
    return [
        f"for (int step = 0; step < {launch.steps}; ++step) "
        f"{launch.function}({args}, step);"
    ]


def pointer(buffer: Buffer) -> str:
    if not buffer.view_of:
        return buffer.name
    return f"{buffer.view_of} + {buffer.offset}"


def data_files(code: ModelCode, parameters: Mapping[str, Array]) -> dict[str, bytes]:
    """What `main.c` reads: the weights, and zero inputs to try it with."""
    if code.target.simt:
        return {}
    areas = areas_of(code)
    weights = bytearray(areas["weights"].nbytes)
    for name, offset in areas["weights"].offsets.items():
        raw = parameters[name].tobytes()
        weights[offset : offset + len(raw)] = raw
    return {"weights.bin": bytes(weights), "inputs.bin": bytes(areas["inputs"].nbytes)}
