"""scan along rows on RVV: a lane scans a few neighbours, then lanes scan their totals.

lane      0       1       2          a segment load brings field f of all lanes
fields    a b     c d     e f
within    a ab    c cd    e ef       each lane by itself, one vector per field
across    -       ab      abcd       log2(lanes) steps of the last fields
result    a ab    abc ..             across, with what lies before the block, and within

Extrema drop NaN; a row whose sum tells of one is scanned again by those that keep it.
"""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.scan_text import ScanText
from mbc.codegen.emitters.rvv.strips import suffix
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families import Schedule
from mbc.codegen.families.scan import ScanMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit_rows(match: ScanMatch, schedule: Schedule, target: Target) -> KernelCode:
    extents = ("OUTER", match.outer), ("LENGTH", match.length)
    frame = Frame(match, target, schedule, extents)
    vectors, fields = (Vectors(number(schedule, "vector")), number(schedule, "unroll"))
    texts = [ScanText(match, target, vectors, kind) for kind in _kinds(match.kind)]
    walks = [
        {
            "block": _Block(text, frame, fields).lines() if fields > 1 else None,
            "rest": _Block(text, frame, 1).lines(),
        }
        for text in texts
    ]
    whole = replace(vectors, length="vlmax")
    return frame.code(
        "rvv/scan_rows.c.j2",
        {header for text in texts for header in text.headers},
        outer=frame.constants[0][0],
        length=frame.constants[1][0],
        vectors=vectors,
        fields=fields,
        uniforms=_Block(texts[0], frame, 1).uniforms(),
        start=whole.splat(texts[0].start()),
        zeros=whole.splat("0.0f"),
        walk=walks[0],
        careful=walks[1] if len(walks) > 1 else None,
    )


def _kinds(kind: str) -> tuple[str, ...]:
    """How a row is scanned, and how once more where it may hold NaN."""
    return (f"{kind}num", kind) if kind in folds.NAN_KEEPING else (kind,)


class _Block:
    """`fields` neighbours per lane, from `done` elements on; one is a plain strip."""

    def __init__(self, text: ScanText, frame: Frame, fields: int):
        self.text, self.frame, self.fields = text, frame, fields
        self.match, self.vectors = text.match, text.vectors
        self.order = range(fields)[:: -1 if self.match.reverse else 1]

    def uniforms(self) -> list[str]:
        """Declarations of what is the same along a row."""
        accesses = dict.fromkeys((*self.match.inputs, *self.match.extra))
        return [
            f"const float {self._uniform(a)} = {a.buffer}[{self._index(a, '0')}];"
            for a in accesses
            if a is not None and not a.strides[1]
        ]

    def lines(self) -> dict[str, object]:
        return {
            "fields": self.fields,
            "first": self._first(),
            "within": self._within(),
            "ahead": self._ahead(),
            "mask": self._inside(),
            "step": self._step(),
            "after": self._after(),
        }

    # ---- within lanes ----

    def _within(self) -> list[str]:
        printer = self.text.printer()
        loaded = [
            self._loads(printer, f"x{j}", access)
            for j, access in enumerate(self.match.inputs)
        ]
        for f in range(self.fields):
            values, end = [fields[f] for fields in loaded], suffix(f)
            value = self.text.element(printer, values, end)
            printer.lines.append(f"{self.vectors.type} within{end} = {value};")
        lines, width = printer.lines, 1
        if self.text.kind != self.match.kind:
            lines += self._noted()
        while width < self.fields:
            lines += self._doubled(width)
            width *= 2
        lines.append(f"{self.vectors.type} across = within{suffix(self.order[-1])};")
        return lines

    def _noted(self) -> list[str]:
        """A sum of all elements is NaN where one of them is."""
        names = [f"within{suffix(f)}" for f in range(self.fields)]
        lines: list[str] = []
        while len(names) > 1:
            made = [f"{name}_on" for name in names[::2]]
            for name, a, b in zip(made, names[::2], names[1::2], strict=True):
                both = self.vectors.call("vfadd", a, b).text
                lines.append(f"const {self.vectors.type} {name} = {both};")
            names = made
        more = self.vectors.call("vfadd_tu", "sum", "sum", names[0]).text
        return [*lines, f"sum = {more};"]

    def _doubled(self, width: int) -> list[str]:
        """Every second run of `width` scanned fields takes in the run before it."""
        names = [f"within{suffix(f)}" for f in self.order]
        return [
            f"{name} = {self.text.combined(names[n // width * width - 1], name)};"
            for n, name in enumerate(names)
            if n & width
        ]

    # ---- across lanes ----

    def _inside(self) -> str:
        """The lanes that a step brings an element to."""
        if self.match.reverse:
            return "__riscv_vmsltu(lane, vl - step, vl)"
        return "__riscv_vmsgtu(lane, step - 1, vl)"

    def _step(self) -> list[str]:
        """Takes in the lane `step` before, which holds the fold of as many."""
        vectors, kind = self.vectors, self.text.kind
        none = f"__riscv_vundefined_f32m{vectors.lmul}()"
        moved = vectors.call("vslideup", none, "across", "step").text
        if self.match.reverse:
            moved = vectors.call("vslidedown", "across", "step").text
        if kind in folds.NAN_KEEPING:
            both = self.text.combined("across", "moved")
            taken = vectors.call("vmerge", "across", both, "mask").text
        else:
            name = f"{folds.INSTRUCTIONS[kind.removesuffix('num')]}_mu"
            taken = vectors.call(name, "mask", "across", "across", "moved").text
        return [
            f"const {vectors.type} moved = {moved};",
            f"across = {taken};",
        ]

    # ---- both ----

    def _after(self) -> list[str]:
        """What lies before each lane, the carry for the next block, the results."""
        match, vectors, printer = self.match, self.vectors, self.text.printer()
        slide, last = (
            ("vfslide1down", "0") if match.reverse else ("vfslide1up", "vl - 1")
        )
        before = vectors.call(slide, "across", self.text.start()).text
        printer.declare("others", before)
        printer.declare("before", self.text.combined("others", "carry"))
        printer.declare("last", f"__riscv_vrgather(across, {last}, vlmax)")
        more = self.text.combined("carry", "last", "vlmax")
        printer.lines.append(f"carry = {more};")
        extra = [
            None if access is None else self._loads(printer, f"e{j}", access)
            for j, access in enumerate(match.extra)
        ]
        results: dict[int, list[str]] = {}
        inside = ""
        for f in self.order:
            end = suffix(f)
            own = f"within{end}"
            inside = inside if match.exclusive else own
            total = self.text.combined("before", inside) if inside else "before"
            printer.declare(f"total{end}", total)
            inside = own
            values = [None if fields is None else fields[f] for fields in extra]
            results[f] = self.text.results(printer, f"total{end}", values, end)
        for output, access in enumerate(match.out):
            texts = [results[f][output] for f in range(self.fields)]
            printer.lines.append(self._store(access, texts))
        return printer.lines

    # ---- memory ----

    def _place(self, width: str = "vl") -> str:
        """Where a block that ends `width` segments behind `done` begins."""
        wide = f"{self.fields} * {width}" if self.fields > 1 else width
        if self.match.reverse:
            return f"({self.frame.constants[1][0]} - done - {wide})"
        return "done"

    def _ahead(self) -> list[str]:
        """The segments of the next block, of which there are `next`."""
        place = self._place("(vl + next)")
        if not self.match.reverse:
            place = f"(done + {self.fields} * vl)"
        return [
            f"{name} = {self._segment(access, place, 'next')};"
            for name, access in self._segmented()
        ]

    def _first(self) -> list[str]:
        type = f"vfloat32m{self.vectors.lmul}x{self.fields}_t"
        return [
            f"{type} {name} = {self._segment(access, self._place(), 'vl')};"
            for name, access in self._segmented()
        ]

    def _segmented(self) -> list[tuple[str, Access]]:
        """What is scanned, where it comes in segments: these are loaded ahead."""
        if self.fields == 1:
            return []
        return [
            (f"x{j}_fields", access)
            for j, access in enumerate(self.match.inputs)
            if access.strides[1] == 1
        ]

    def _segment(self, access: Access, place: str, length: str) -> str:
        load = f"__riscv_vlseg{self.fields}e32_v_f32m{self.vectors.lmul}x{self.fields}"
        return f"{load}({access.buffer} + {self._index(access, place)}, {length})"

    def _loads(self, printer: VectorPrinter, name: str, access: Access) -> list[Value]:
        """An operand's fields."""
        stride, count = access.strides[1], self.fields
        if not stride:
            return [Value(self._uniform(access), "scalar")] * count
        names = [f"{name}{suffix(f)}" for f in range(count)]
        if stride == 1 and count > 1:
            self._fields(printer, name, names, access)
        else:
            for f, field in enumerate(names):
                place = f"({self._place()} + {f})" if f else self._place()
                index = self._index(access, place)
                load = self.vectors.load(access.buffer, index, stride * count)
                printer.declare(field, load)
        return [Value(field, "vector") for field in names]

    def _fields(
        self, printer: VectorPrinter, name: str, names: list[str], access: Access
    ) -> None:
        lmul, count = self.vectors.lmul, self.fields
        all = f"{name}_fields"
        if (all, access) not in self._segmented():
            load = self._segment(access, self._place(), "vl")
            printer.lines.append(f"const vfloat32m{lmul}x{count}_t {all} = {load};")
        for f, field in enumerate(names):
            get = f"__riscv_vget_v_f32m{lmul}x{count}_f32m{lmul}({all}, {f})"
            printer.declare(field, get)

    def _store(self, access: Access, texts: list[str]) -> str:
        index, count = self._index(access, self._place()), self.fields
        if count == 1:
            return self.vectors.store(access.buffer, index, 1, texts[0])
        all = f"__riscv_vcreate_v_f32m{self.vectors.lmul}x{count}({', '.join(texts)})"
        return f"__riscv_vsseg{count}e32({access.buffer} + {index}, {all}, vl);"

    def _uniform(self, access: Access) -> str:
        """The name of an element that is the same along a row."""
        known = [*self.match.inputs, *self.match.extra]
        return f"u{known.index(access)}"

    def _index(self, access: Access, place: str) -> str:
        flat = replace(access, strides=access.strides[:2])
        return index_text(flat, ["o", place], self.frame.constants)
