"""Loads and stores of N elements along the last loop of an access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mbc.codegen.emitters.opencl.vector_body import Value, VectorPrinter
from mbc.codegen.expression import load_text, store_text
from mbc.codegen.families.vectors import SHORT_FLOATS
from mbc.codegen.loops import Access, index_text


@dataclass(frozen=True)
class Lanes:
    """`width` elements that start at `indices`, along the loop number `axis`.

    `count` is the text of how many elements are left in that loop, or empty where
    all lanes are always inside it.
    """

    width: int
    indices: tuple[str, ...]
    extents: tuple[tuple[str, int], ...]
    axis: int
    count: str = ""
    skip: str = ""
    """How many of the first lanes are not stored, where that may be any."""

    @property
    def printer(self) -> VectorPrinter:
        return VectorPrinter(self.width)

    def index(self, access: Access) -> str:
        return index_text(access, self.indices, self.extents)

    def load(self, access: Access) -> Value:
        """The elements as an expression; one element where the loop moves nothing."""
        stride, index = access.strides[self.axis], self.index(access)
        if stride == 0 or self.width == 1:
            text = load_text(access.dtype, access.buffer, index)
            return Value(text, uniform=stride == 0)
        pointer = f"{access.buffer} + {index}"
        count, short = self.count or str(self.width), _short(access)
        if stride != 1:
            return Value(f"mbc_gather{self.width}{short}({pointer}, {stride}, {count})")
        if short:
            return Value(f"mbc_load{self.width}{short}({pointer}, {count})")
        if self.count:
            return Value(f"mbc_load{self.width}({pointer}, {self.count})")
        return Value(f"vload{self.width}(0, {pointer})")

    def store(self, access: Access, value: Value) -> str:
        """The statement that writes `value`."""
        stride, index = access.strides[self.axis], self.index(access)
        if self.width == 1:
            return f"{store_text(access.dtype, access.buffer, index, value.text)};"
        text, pointer = self.printer.spread(value), f"{access.buffer} + {index}"
        part = f"{self.skip or '0'}, {self.count or self.width}"
        short = _short(access)
        if stride != 1:
            name = f"mbc_scatter{self.width}{short}"
            return f"{name}({text}, {pointer}, {stride}, {part});"
        if self.count or self.skip or short:
            return f"mbc_store{self.width}{short}({text}, {pointer}, {part});"
        return f"vstore{self.width}({text}, 0, {pointer});"


def _short(access: Access) -> str:
    """What ends the names of helpers that convert 16-bit floats."""
    return f"_{access.dtype}" if access.dtype in SHORT_FLOATS else ""


@dataclass
class Loader:
    """Loads each access once: lines for values per lane, and for uniform ones."""

    lanes: Lanes
    lines: list[str] = field(default_factory=list[str])
    uniform: list[str] = field(default_factory=list[str])
    """Declarations that hold for the whole loop and belong in front of it."""
    segment: int | None = None
    """The loop of a row's segments, where there is one."""
    within: list[str] = field(default_factory=list[str])
    """Declarations that hold for a segment of the row."""
    found: dict[Access, Value] = field(default_factory=dict[Access, Value])
    names: dict[str, int] = field(default_factory=dict[str, int])

    def read(self, access: Access) -> Value:
        if access not in self.found:
            self.found[access] = self._declare(access, self.lanes.load(access))
        return self.found[access]

    def read_all(self, accesses: Sequence[Access]) -> list[Value]:
        return [self.read(access) for access in accesses]

    def read_again(self, access: Access) -> Value:
        """What an earlier loop stored; never in front of the loop."""
        if access not in self.found:
            moving = Value(self.lanes.load(access).text, uniform=False)
            self.found[access] = self._declare(access, moving)
        return self.found[access]

    def for_next_loop(self) -> Loader:
        """Keeps what is uniform; elements are loaded again."""
        kept = {a: v for a, v in self.found.items() if v.uniform and not self._moves(a)}
        names = {n: count for n, count in self.names.items() if n.endswith("_u")}
        return replace(self, lines=[], within=[], found=kept, names=names)

    def _moves(self, access: Access) -> bool:
        """Whether an access differs between segments."""
        return self.segment is not None and access.strides[self.segment] != 0

    def _declare(self, access: Access, value: Value) -> Value:
        name = f"{access.buffer}_{'u' if value.uniform else 'x'}"
        seen = self.names.get(name, 0)
        self.names[name] = seen + 1
        name = f"{name}{seen or ''}"
        type = "float" if value.uniform else self.lanes.printer.type("float")
        per_row = self.within if self._moves(access) else self.uniform
        lines = per_row if value.uniform else self.lines
        lines.append(f"const {type} {name} = {value.text};")
        return Value(name, value.uniform)
