"""What the contraction kernels of both styles share: operands, tiles, epilogues."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mbc.codegen.emitters.opencl.elements import Lanes, Loader
from mbc.codegen.emitters.opencl.frame import Frame
from mbc.codegen.emitters.opencl.vector_body import Value
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.loops import Access, index_text

B, M, N, K = range(4)


@dataclass(frozen=True)
class Tile:
    """What a work item sums up: `rows` x `vectors` of `width` lanes."""

    rows: int
    vectors: int
    width: int

    @property
    def columns(self) -> int:
        return self.vectors * self.width


@dataclass(frozen=True)
class Operand:
    """Element x of an operand's own loop, at step k, is `start(x)[k * step]`."""

    pointer: str
    """With {0} for x."""
    stride: int
    """From x to x + 1."""
    step: int
    step_text: str
    padded: bool = False
    """Elements behind the last x may be read."""
    image: str = ""
    """Where it is an image: its name; `start` and `at` then count elements in it."""

    def start(self, x: str) -> str:
        whole = x.isidentifier() or x.startswith("min(")
        return self.pointer.format(x if whole else f"({x})")

    def at(self, k: str) -> str:
        return k if self.step == 1 else f"{k} * {self.step_text}"


def right_texels(frame: Frame, match: ContractMatch) -> Operand:
    """The right operand as an image."""
    plain = _plain(frame, match.rhs, N)
    index = plain.pointer.removeprefix(f"{match.rhs.buffer} + ")
    return replace(plain, pointer=index, image=match.rhs.buffer)


def left_operand(frame: Frame, match: ContractMatch) -> Operand:
    return _plain(frame, match.lhs, M)


def right_operand(frame: Frame, match: ContractMatch) -> Operand:
    if not match.panel:
        return _plain(frame, match.rhs, N)
    panel, k = match.panel, frame.name("K")
    start = f"{{0}} / {panel} * {k} * {panel} + {{0}} % {panel}"
    return Operand(f"{match.rhs.buffer} + {start}", 1, panel, str(panel), True)


def _plain(frame: Frame, access: Access, own: int) -> Operand:
    b, x, k = (access.strides[loop] for loop in (B, own, K))
    named = frame.named_extents()
    flat = replace(access, strides=(b, x, 0))
    index = index_text(flat, ("b", "{0}", "k"), (named[B], named[own], named[K]))
    dense = x == 1 and k == named[own][1]
    step = named[own][0] if dense else str(k)
    return Operand(f"{access.buffer} + {index}", x, k, step)


def result_lanes(frame: Frame, width: int, count: str = "", skip: str = "") -> Lanes:
    """Elements of the result: `n` and its neighbours in row `m` of batch `b`."""
    return Lanes(width, ("b", "m", "n"), frame.named_extents()[:K], N, count, skip)


def epilogue(match: ContractMatch, lanes: Lanes, total: str) -> list[str]:
    """From the finished sums `total` to the stores of every result."""
    results: tuple[Value, ...] = (Value(total),)
    lines: list[str] = []
    if match.epilogue is not None:
        loader = Loader(lanes)
        inputs = [
            Value("total") if access is None else loader.read(_result_access(access))
            for access in match.extra
        ]
        printed = lanes.printer.body(match.epilogue.body.block, inputs, "t")
        declared = f"const {lanes.printer.type('float')} total = {total};"
        lines = [declared, *loader.uniform, *loader.lines, *printed.lines]
        results = printed.results
    stores = [
        lanes.store(_result_access(access), value)
        for access, value in zip(match.out, results, strict=True)
    ]
    return [*lines, *stores]


def _result_access(access: Access) -> Access:
    return replace(access, strides=access.strides[:K])
