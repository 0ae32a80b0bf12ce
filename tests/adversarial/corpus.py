"""Candidates as files: a header of comments says what each claims and who catches it.

    // class: R14              of README.md, hostile candidates only
    // kernel: rowsum          a label in `kernels`
    // gate: G0 G1             any of these may reject it; hostile candidates only
    // extents: any            the text reads its extents; else it holds at its own
    // options: style=gpu      of the target
    // schedule: parallel=128
    // needs: oclgrind         a tool without which nothing can catch it
    // gap: reason             known to be accepted, and why

Texts name extents by what they mean, as operand 0 has them: COUNT; ROWS and COLS;
GEMM_M, GEMM_K and GEMM_N.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from typing_extensions import override

from mbc.codegen.emitters import emit_kernel
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target, target_named
from mbc.errors import PassRefused
from mbc.ir.attributes import Entry
from mbc.ir.kernel import KernelOp
from mbc.ir.resize import extents as free_extents
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.cases import CaseSet, draw_cases
from tests.adversarial.kernels import kernel

HERE = Path(__file__).parent
TARGETS = {".c": "rvv", ".cl": "opencl", ".cu": "cuda"}
MEANINGS: Mapping[str, tuple[str, ...]] = {
    "gemm": ("GEMM_M", "GEMM_K", "GEMM_N"),
    "": ("COUNT",),
    "rows": ("ROWS", "COLS"),
}
"""What the free extents N0, N1, ... of a kernel mean to its candidates."""


@dataclass(frozen=True)
class Text(Candidate):
    """Text under extents of stable names and with the helpers of its own extents; it
    claims to be right where its launches stay what they are."""

    @override
    def at(self, extents: Mapping[str, int]) -> KernelOp:
        made = super().at(extents)
        if self.source and _calls(self, made) != _calls(self, self.kernel):
            raise PassRefused("resize", "the launches are others there")
        return made

    @override
    def code(self, kernel: KernelOp) -> KernelCode:
        found = free_extents(kernel)
        named = MEANINGS.get(self.label) or MEANINGS["rows" if len(found) > 1 else ""]
        lines = [
            f"#define {name} {value}\n"
            for name, value in zip(named, found.values(), strict=True)
        ]
        return replace(
            emit_kernel(kernel, self.target),
            source="".join(lines) + self.source,
            headers=emit_kernel(self.kernel, self.target).headers,
        )


def _calls(candidate: Candidate, kernel: KernelOp) -> list[tuple[str, tuple[str, ...]]]:
    emitted = emit_kernel(kernel, candidate.target)
    return [(launch.function, launch.args) for launch in emitted.launches]


@dataclass(frozen=True)
class Row:
    """One candidate of the table."""

    name: str
    target: str
    kernel: str
    text: str = ""
    options: tuple[tuple[str, Entry], ...] = ()
    schedule: tuple[tuple[str, Entry], ...] = ()
    any_extents: bool = True
    kind: str = ""
    """The class, as README.md names them."""
    gates: tuple[str, ...] = ()
    needs: str = ""
    gap: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def about(self) -> str:
        """The sentence of the header."""
        lines = re.findall(r"^(?://|/?\s?\*) (?!\w+: )(.+)$", self.text, re.M)
        return lines[0] if lines else ""

    def build_target(self) -> Target:
        return target_named(self.target, dict(self.options))

    def candidate(self) -> Candidate:
        made = kernel(self.kernel, dict(self.schedule) or None)
        target = self.build_target()
        if not self.text:
            return Candidate(made, target)
        return Text(made, target, self.text, self.any_extents)

    def cases(self) -> CaseSet:
        """Drawn once for all candidates that claim the same."""
        if not self.text:
            return draw_cases(self.candidate())
        return _cases(
            self.kernel, self.target, self.options, self.schedule, self.any_extents
        )


@cache
def _cases(
    label: str,
    target: str,
    options: tuple[tuple[str, Entry], ...],
    schedule: tuple[tuple[str, Entry], ...],
    any_extents: bool,
) -> CaseSet:
    row = Row("", target, label, "x", options, schedule, any_extents)
    return draw_cases(row.candidate())


def rows(folder: str) -> list[Row]:
    """The files of a folder, by name."""
    found = sorted(p for p in (HERE / folder).iterdir() if p.suffix in TARGETS)
    return [read(path) for path in found]


def read(path: Path) -> Row:
    text = path.read_text()
    fields = dict(re.findall(r"^(?://|/?\s?\*) (\w+): (.+)$", text, re.M))
    return Row(
        name=path.name,
        target=TARGETS[path.suffix],
        kernel=fields["kernel"],
        text=text,
        options=entries(fields.get("options", "")),
        schedule=entries(fields.get("schedule", "")),
        any_extents=fields.get("extents") == "any",
        kind=fields.get("class", ""),
        gates=tuple(fields.get("gate", "").split()),
        needs=fields.get("needs", ""),
        gap=fields.get("gap", ""),
    )


def entries(text: str) -> tuple[tuple[str, Entry], ...]:
    """`tile=4x2 style=gpu` as names and values; `tile=4,` is a tuple of one."""
    pairs = [part.split("=") for part in text.split()]
    return tuple((name, _entry(value)) for name, value in pairs)


def _entry(value: str) -> Entry:
    numbers = value.removesuffix(",").split("x")
    if not all(number.isdigit() for number in numbers):
        return value
    if len(numbers) == 1 and not value.endswith(","):
        return int(value)
    return tuple(map(int, numbers))
