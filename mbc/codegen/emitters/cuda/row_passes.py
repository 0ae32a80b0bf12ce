"""The passes of a row program as CUDA statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.emitters.cuda.folds import join_threads, start_text, step_text
from mbc.codegen.emitters.cuda.lanes import Walk
from mbc.codegen.emitters.cuda.rows import RowSplit
from mbc.codegen.expression import Printed, ScalarPrinter
from mbc.codegen.families.row_program import Pass, RowProgram, Statement
from mbc.codegen.loops import Access
from mbc.codegen.targets import Target
from mbc.ir.ops.reduce import ReduceOp

Item = Access | str
"""What a thread holds of a row: elements of a buffer, or a value the kernel made."""


def reads_along_row(step: Pass) -> list[Access]:
    """What a pass reads along the row, each access once."""
    inputs = (i for s in (*step.rows, *step.reduces) for i in s.inputs)
    found = [i for i in inputs if isinstance(i, Access) and i.strides[-1]]
    return list(dict.fromkeys(found))


def row_accesses(program: RowProgram) -> list[Access]:
    """All accesses that vectors run along."""
    reads = [read for step in program.passes for read in reads_along_row(step)]
    stores = [s.access for step in program.passes for s in step.stores]
    return [*reads, *(a for a in stores if a.strides[-1])]


def held_items(program: RowProgram) -> list[Item]:
    """What several passes need of a row."""
    reads = [read for step in program.passes for read in reads_along_row(step)]
    again = [read for read in dict.fromkeys(reads) if reads.count(read) > 1]
    return [*again, *program.kept]


@dataclass
class PassText:
    """One walk over the row, and what follows it."""

    comment: str
    totals: list[str] = field(default_factory=list[str])
    """Declarations of what the pass reduces to."""
    preloads: list[str] = field(default_factory=list[str])
    """Loads into registers, before anything uses them."""
    declarations: list[str] = field(default_factory=list[str])
    loads: list[str] = field(default_factory=list[str])
    lane: list[str] = field(default_factory=list[str])
    """Statements of one element."""
    stores: list[str] = field(default_factory=list[str])
    after: list[str] = field(default_factory=list[str])
    once: list[str] = field(default_factory=list[str])
    """Stores of one value per row."""


class RowWriter:
    """Writes passes in order; `texts` says how each value reads at this point.

    `held` are the items that stay in registers; without them, values that a later
    pass needs go through the place in memory that the program gives them.
    """

    def __init__(
        self,
        program: RowProgram,
        walk: Walk,
        target: Target,
        split: RowSplit,
        length: str,
        held: Sequence[Item],
    ):
        self.program = program
        self.walk = walk
        self.split = split
        self.length = length
        self.held = held
        self.printer = ScalarPrinter(target)
        self.texts: dict[str, str] = {}
        self.names: dict[Item, str] = {}
        self.per_row: list[str] = []
        """What a whole row shares, before the first pass."""
        self.resident: set[Access] = set()
        """Held accesses that were loaded."""
        self.reduces = 0
        for step in program.passes:
            self._name_all(step)
        self._early_scalars()

    def held_declarations(self, steps: int) -> list[str]:
        lanes = f"[{self.walk.width}]" if self.walk.width > 1 else ""
        return [f"{self.names[item]}[{steps}]{lanes}" for item in self.held]

    def write(self, step: Pass) -> PassText:
        text = PassText(self._comment(step))
        self._load(step, text)
        for statement in step.rows:
            printed = self._printed(statement)
            text.lane += printed.lines
            self.texts[statement.result] = printed.results[0]
        self._reduce(step, text)
        self._write_vectors(step, text)
        for statement in step.scalars:
            text.after += self._scalar(statement)
        for store in step.stores:
            if store.kind == "scalar":
                place = self.walk.element(store.access)
                text.once.append(f"{place} = {self.texts[store.name]};")
        return text

    def _name_all(self, step: Pass) -> None:
        statements = (*step.first, *step.rows, *step.reduces, *step.scalars)
        for statement in statements:
            name = _value_name(statement)
            self.names.setdefault(statement.result, name)
            for item in statement.inputs:
                if isinstance(item, Access) and item not in self.names:
                    self._name_access(item)

    def _name_access(self, access: Access) -> None:
        name = f"x{sum(isinstance(item, Access) for item in self.names)}"
        self.names[access] = name
        if not access.strides[-1] and not self.program.by_segment(access):
            self.per_row.append(f"const float {name} = {self.walk.element(access)};")

    def _early_scalars(self) -> None:
        """Values per row that need no reduction come before the first walk."""
        for statement in self.program.passes[0].first:
            self.per_row += self._scalar(statement)

    def _scalar(self, statement: Statement) -> list[str]:
        printed = self._printed(statement)
        self.texts[statement.result] = printed.results[0]
        return list(printed.lines)

    def _printed(self, statement: Statement) -> Printed:
        assert isinstance(statement.op, linalg.GenericOp)
        arguments = [*(self._operand(i) for i in statement.inputs), "uninitialized"]
        prefix = f"{self.names[statement.result]}_"
        return self.printer.body(statement.op.body.block, arguments, prefix)

    def _operand(self, item: Item) -> str:
        if isinstance(item, str):
            return self.texts[item]
        return self.walk.lane_of(self._place(item), item)

    def _place(self, item: Item) -> str:
        return f"{self.names[item]}[j]" if item in self.held else self.names[item]

    def _lane(self, place: str) -> str:
        return f"{place}[e]" if self.walk.width > 1 else place

    def _load(self, step: Pass, text: PassText) -> None:
        for access in reads_along_row(step):
            place = self._place(access)
            if access not in self.held:
                text.declarations.append(self.walk.declare(place, access))
                text.loads.append(self.walk.load(place, access))
            elif access not in self.resident:
                text.preloads.append(self.walk.load(place, access))
                self.resident.add(access)
        for access in self._by_segment(step):
            text.declarations.append(self.names[access])
            text.loads.append(self.walk.load(self.names[access], access))
        for name in step.loads:
            place = self._place(name)
            self.texts[name] = self._lane(place)
            if name not in self.held:
                home = self._home(name)
                text.declarations.append(self.walk.declare(place, home))
                text.loads.append(self.walk.load(place, home))

    def _by_segment(self, step: Pass) -> list[Access]:
        """What a pass reads once per segment, each access once."""
        inputs = (i for s in step.rows for i in s.inputs if isinstance(i, Access))
        return [i for i in dict.fromkeys(inputs) if self.program.by_segment(i)]

    def _reduce(self, step: Pass, text: PassText) -> None:
        for statement in step.reduces:
            assert isinstance(statement.op, ReduceOp)
            kind, total = statement.op.str_of("kind"), self.names[statement.result]
            value = self._operand(statement.inputs[0])
            text.totals.append(f"float {total} = {start_text(kind)};")
            text.lane.append(step_text(kind, total, value))
            shared = f"shared[{self.reduces}]"
            text.after.append(join_threads(kind, total, self.split.threads, shared))
            if kind == "mean":
                text.after.append(f"{total} /= {self.length};")
            self.texts[statement.result] = total
            self.reduces += 1

    def _write_vectors(self, step: Pass, text: PassText) -> None:
        """Kept values, then the stores along the row."""
        for name in step.keeps:
            place = self._place(name)
            text.lane.append(f"{self._lane(place)} = {self.texts[name]};")
            if name not in self.held:
                home = self._home(name)
                text.declarations.append(self.walk.declare(place, home))
                text.stores.append(self.walk.store(home, place))
        for store in step.stores:
            if store.kind == "row":
                place = f"y{store.access.buffer[1:]}"
                text.declarations.append(self.walk.declare(place, store.access))
                text.lane.append(f"{self._lane(place)} = {self.texts[store.name]};")
                text.stores.append(self.walk.store(store.access, place))

    def _home(self, name: str) -> Access:
        """Where a kept value lives in memory."""
        place = self.program.kept[name]
        for store in (s for step in self.program.passes for s in step.stores):
            if store.access.buffer == place:
                return store.access
        return self.program.whole_rows(place)

    def _comment(self, step: Pass) -> str:
        made = [self.names[s.result] for s in step.reduces]
        made += [s.access.buffer for s in step.stores]
        return ", ".join(made) or "values per row"


def _value_name(statement: Statement) -> str:
    """`max0`, `exp1`: what the value is, and which one."""
    index = statement.result[1:]
    if isinstance(statement.op, ReduceOp):
        return statement.op.str_of("kind") + index
    words = [op.name.split(".")[1] for op in statement.op.body.block.ops if op.results]
    named = [word.removesuffix("f") for word in words if word != "constant"]
    return (named[-1] if named else "value") + index
