"""A stage: one scalar loop nest of the plain-loop family, independent of language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mbc.codegen.targets import Target
from mbc.ir.types import shape_of


@dataclass(frozen=True)
class Stage:
    """`lines` run once per point of the parallel `loops`; `buffers` are all touched.

    With `steps` > 1 the whole nest runs that often, in order, with `int step` in
    scope; what one step writes the next may read.
    """

    comment: str
    loops: tuple[tuple[str, int], ...]
    lines: tuple[str, ...]
    buffers: tuple[str, ...]
    steps: int = 1


@dataclass(frozen=True)
class Storage:
    """Where each tensor value of a body lives: a buffer of the kernel."""

    target: Target
    names: Mapping[SSAValue, str]

    def name(self, value: SSAValue) -> str:
        return self.names[value]


def loop_names(count: int, prefix: str = "i") -> list[str]:
    return [f"{prefix}{index}" for index in range(count)]


def flat_index(indices: Sequence[str], shape: Sequence[int]) -> str:
    """Row-major element index in C."""
    terms: list[str] = []
    stride = 1
    for index, extent in zip(reversed(indices), reversed(shape), strict=True):
        if index != "0":
            terms.append(index if stride == 1 else f"{parenthesized(index)} * {stride}")
        stride *= extent
    return " + ".join(reversed(terms)) or "0"


def parenthesized(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def block(header: str, lines: Sequence[str]) -> list[str]:
    """`header { lines }` with indentation."""
    return [f"{header} {{", *(f"  {line}" for line in lines), "}"]


def for_loop(name: str, extent: int, lines: Sequence[str]) -> list[str]:
    return block(f"for (int {name} = 0; {name} < {extent}; ++{name})", lines)


def for_loops(loops: Sequence[tuple[str, int]], lines: Sequence[str]) -> list[str]:
    result = list(lines)
    for name, extent in reversed(loops):
        result = for_loop(name, extent, result)
    return result


def loops_over(value: SSAValue) -> tuple[tuple[str, int], ...]:
    shape = shape_of(value)
    return tuple(zip(loop_names(len(shape)), shape, strict=True))
