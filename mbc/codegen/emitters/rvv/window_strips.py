"""window on RVV, in registers: rows fold into a vector, windows run along that vector.

A strip of windows stays where it is while the rows go by. Lane j holds a segment of
`stride` columns; a tap is a field of the segment a few lanes on or back:

    3 columns, 2 apart, 1 of padding    lane j of tap 0: odd column of segment j - 1
                                        lane j of tap 1: even column of segment j
                                        lane j of tap 2: odd column of segment j

Padding is never stored: on the left it is slid in, on the right a tap takes fewer
lanes. `vfmax` drops NaN; so lanes note whether they have met one, and a strip where
one has is done again, by maxima that keep it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.values import Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.emitters.rvv.window_results import WindowResults, shares_buffer
from mbc.codegen.emitters.window_names import WindowNames
from mbc.codegen.families import Schedule
from mbc.codegen.families.window import WindowAxis, WindowMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target

WIDEST = 8
"""Registers that a row of a strip may take."""
PAIR = 2
FEWEST_LANES = 4
"""Of a register, where VLEN is 128."""


@dataclass(frozen=True)
class Tap:
    """Column `field` of the segment `shift` lanes on."""

    place: int
    field: int
    shift: int


def taps_of(columns: WindowAxis) -> tuple[Tap, ...]:
    places = range(0, columns.span, columns.dilation)
    turned = [divmod(place - columns.low, columns.stride) for place in places]
    return tuple(
        Tap(place, field, shift)
        for place, (shift, field) in zip(places, turned, strict=True)
    )


def reach(columns: WindowAxis) -> tuple[int, int]:
    """Lanes before and behind a window's own that its taps lie in."""
    taps = taps_of(columns)
    return -min(0, taps[0].shift), max(0, taps[-1].shift)


def strip_vectors(columns: WindowAxis, lmul: int) -> Vectors:
    return Vectors(min(lmul, WIDEST // columns.stride), "lanes")


def fits_registers(columns: WindowAxis, lmul: int) -> bool:
    """Segments of one or two columns, no window that begins behind the last column,
    and no more than half of the lanes there for their neighbours alone."""
    last = (columns.out - 1) * columns.stride - columns.low
    if columns.stride > PAIR or not last < columns.extent or not columns.extent:
        return False
    lanes = FEWEST_LANES * strip_vectors(columns, lmul).lmul
    return 2 * sum(reach(columns)) <= lanes


def emit_strips(match: WindowMatch, schedule: Schedule, target: Target) -> KernelCode:
    return _Strips(match, schedule, target).code()


class _Strips:
    def __init__(self, match: WindowMatch, schedule: Schedule, target: Target):
        self.match, self.target, self.names = match, target, WindowNames(match)
        self.lanes = strip_vectors(match.columns, number(schedule, "vector"))
        self.columns = Vectors(self.lanes.lmul * match.columns.stride, "columns")
        self.before, self.behind = reach(match.columns)
        scratch = shares_buffer(match, 0)
        self.shares = scratch[0].name if scratch else ""
        self.frame = Frame(match, target, schedule, self.names.extents(), scratch)
        self.results = WindowResults(match, self.frame, self.shares)
        self.headers: set[str] = set()

    def code(self) -> KernelCode:
        match, label = self.match, self.frame.label
        planes = zip(self.names.loops(), self.names.loop_extents(label))
        largest = match.kind == "max"
        odd = self.columns.call("vmfne", "sum", "sum")
        return self.frame.code(
            "rvv/window_strips.c.j2",
            self.headers,
            shares=self.shares,
            columns=match.columns,
            margin=match.margins[-1],
            extents={"columns": self.name("W"), "out": self.name("OW")},
            planes=list(planes)[: len(match.planes)],
            row_taps=match.row_taps,
            rows=self.names.rows(label),
            inside=self.names.inside(label),
            start=self.names.start(label),
            lanes=self.lanes,
            sums=self.columns.type,
            zeros=self.columns.splat("0.0f"),
            met=self.columns.call("vcpop", odd.text).text,
            shared=self.before + self.behind,
            strip=self._strip(),
            first_row=self._first_row(largest),
            more_rows=self._more_rows("maxnum" if largest else "sum", largest),
            careful_rows=self._more_rows("max", False) if largest else [],
            scale=self.results.scale(),
            taps=self._taps("maxnum" if largest else "sum"),
            careful_taps=self._taps("max") if largest else [],
            stores=self._stores(),
        )

    def name(self, extent: str) -> str:
        return f"{self.frame.label}_{extent}"

    # ---- where a strip lies ----

    def _strip(self) -> list[str]:
        """What is the same for all rows: lanes, columns, how many lanes a tap takes."""
        stride, width = self.match.columns.stride, self.name("W")
        segment = f"(i ? i - {self.before} : 0)" if self.before else "i"
        first = f"{segment} * {stride}" if stride > 1 else segment
        extra = f" + (i ? {self.before} : 0)" if self.before else ""
        wanted = f"lanes + {self.behind}" if self.behind else "lanes"
        if stride > 1:
            wanted = f"({wanted}) * {stride}" if self.behind else f"lanes * {stride}"
        return [
            f"const size_t lanes = windows{extra};",
            f"const size_t first = {first};",
            f"size_t columns = {wanted};",
            f"if (columns > {width} - first) columns = {width} - first;",
            *(line for tap in self.short_taps() for line in self._short(tap)),
        ]

    def short_taps(self) -> list[Tap]:
        """Those that lie behind the last column in some windows."""
        columns = self.match.columns
        last = (columns.out - 1) * columns.stride - columns.low
        taps = taps_of(columns)
        return [tap for tap in taps if last + tap.place >= columns.extent]

    def _short(self, tap: Tap) -> list[str]:
        """Declares the lanes of windows in which the tap meets a column."""
        columns, name = self.match.columns, f"lanes_{tap.place}"
        end = self.name("W")
        ahead = tap.shift * columns.stride + tap.field
        behind = f"first + {ahead}" if ahead >= 0 else f"first - {-ahead}"
        room = f"(ptrdiff_t){end} - (ptrdiff_t)({behind})"
        if columns.stride > 1:
            room = f"({room} + {columns.stride - 1}) / {columns.stride}"
        return [
            f"ptrdiff_t {name} = {room};",
            f"if ({name} < 0) {name} = 0;",
            f"if ({name} > (ptrdiff_t)lanes) {name} = (ptrdiff_t)lanes;",
        ]

    # ---- rows into one ----

    def _first_row(self, noted: bool) -> list[str]:
        load = self.columns.load("rows[0]", "first", 1)
        return [
            f"{self.columns.type} folded = {load};",
            *([self._noted("folded")] if noted else []),
        ]

    def _more_rows(self, kind: str, noted: bool) -> list[str]:
        if self.match.row_taps == 1:
            return []
        load = self.columns.load("rows[t]", "first", 1)
        more = folds.combined(kind, "folded", "x", self.columns, self.headers)
        return [
            f"const {self.columns.type} x = {load};",
            *([self._noted("x")] if noted else []),
            f"folded = {more};",
        ]

    def _noted(self, name: str) -> str:
        """A sum is NaN where one of its terms is; one of infinities may be, too."""
        return f"sum = {self.columns.call('vfadd', 'sum', name).text};"

    # ---- windows along it ----

    def _taps(self, kind: str) -> list[str]:
        """The statements that set `total`."""
        printer = VectorPrinter(self.target, self.lanes, headers=self.headers)
        fields = _Fields(printer, self.match.columns.stride, self.behind, kind)
        short = {tap.place: f"lanes_{tap.place}" for tap in self.short_taps()}
        for tap in taps_of(self.match.columns):
            value = fields.at(tap.field, tap.shift)
            if tap.place == 0:
                printer.lines.append(f"total = {value};")
                continue
            vectors = replace(self.lanes, length=short.get(tap.place, "lanes"))
            step = folds.step if tap.place in short else _whole_step
            printer.lines.append(step(kind, "total", value, vectors, self.headers))
        return printer.lines

    def _stores(self) -> list[str]:
        vectors = replace(self.lanes, length="windows")
        printer = VectorPrinter(self.target, vectors, headers=self.headers)
        if self.before:
            own = vectors.call("vslidedown", "total", str(self.before)).text
            printer.lines.append(f"if (i) total = {own};")
        self.results.store(printer, "total", "i")
        return printer.lines


def _whole_step(
    kind: str, total: str, value: str, vectors: Vectors, headers: set[str]
) -> str:
    return f"{total} = {folds.combined(kind, total, value, vectors, headers)};"


class _Fields:
    """Fields of the folded row, moved by lanes; each is made once."""

    def __init__(self, printer: VectorPrinter, stride: int, behind: int, kind: str):
        self.printer, self.stride, self.kind = printer, stride, kind
        wanted = f"lanes + {behind}" if behind else "lanes"
        self.segments = replace(printer.vectors, length=wanted)
        self.known: dict[tuple[int, int], str] = {}
        if stride == PAIR:
            self._pairs()

    def at(self, field: int, shift: int) -> str:
        key = field, shift
        if key not in self.known:
            self.known[key] = self._made(field, shift)
        return self.known[key]

    def _made(self, field: int, shift: int) -> str:
        vectors = self.printer.vectors
        if shift == 0:
            return self._declared(f"x{field}", self._field(field))
        if shift > 0:
            here = vectors.call("vslidedown", self.at(field, 0), str(shift)).text
            return self._declared(f"x{field}_behind{shift}", here)
        start = folds.STARTS[folds.carried(self.kind).removesuffix("num")]
        near = vectors.call("vfslide1up", self.at(field, shift + 1), start).text
        return self._declared(f"x{field}_before{-shift}", near)

    def _declared(self, name: str, text: str) -> str:
        if text != "folded":
            self.printer.declare(name, text)
            return name
        return text

    def _field(self, field: int) -> str:
        if self.stride == 1:
            return "folded"
        lmul = self.printer.vectors.lmul
        half = self.segments.call("vnsrl", "pairs", str(32 * field)).text
        return f"__riscv_vreinterpret_v_u32m{lmul}_f32m{lmul}({half})"

    def _pairs(self) -> None:
        lmul = PAIR * self.printer.vectors.lmul
        words, pairs = f"u32m{lmul}", f"u64m{lmul}"
        bits = f"__riscv_vreinterpret_v_f32m{lmul}_{words}(folded)"
        self.printer.lines.append(
            f"const vuint64m{lmul}_t pairs = "
            f"__riscv_vreinterpret_v_{words}_{pairs}({bits});"
        )
