"""The stage of a recurrence: a step per time, an item per batch row and hidden unit."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mbc.codegen.expression import ScalarPrinter, load_text, local_type, store_text
from mbc.codegen.nest.moves import copy_stage
from mbc.codegen.nest.stage import Stage, Storage, for_loop
from mbc.ir.ops.recurrent import RecurrentOp
from mbc.ir.types import element_of, shape_of


def recurrent_stages(op: RecurrentOp, storage: Storage) -> list[Stage]:
    """The running cell state lives in the last result."""
    time, batch, _ = shape_of(op.input)
    hidden = shape_of(op.hidden)[1]
    if time == 0:
        return _unchanged(op, storage)
    reverse = op.bool_of("reverse")
    lines = [
        f"const int now = {f'{time - 1} - step' if reverse else 'step'};",
        f"const int before = now {'+' if reverse else '-'} 1;",
        *_Step(op, storage).lines(),
    ]
    buffers = (storage.name(value) for value in (*op.operands, *op.results))
    loops = (("i0", batch), ("i1", hidden))
    names = tuple(dict.fromkeys(buffers))
    kind = op.str_of("kind")
    return [Stage(f"a step of {kind}", loops, tuple(lines), names, steps=time)]


def _unchanged(op: RecurrentOp, storage: Storage) -> list[Stage]:
    states = [op.hidden, *op.extra] if op.has_cell else [op.hidden]
    last = [storage.name(value) for value in op.results[1:]]
    return [copy_stage(s, to, storage) for s, to in zip(states, last, strict=True)]


class _Step:
    def __init__(self, op: RecurrentOp, storage: Storage):
        self.op, self.storage = op, storage
        self.batch, self.hidden = shape_of(op.hidden)
        self.dtype = str(element_of(op.input))
        self.type = local_type(element_of(op.input), storage.target)

    def lines(self) -> list[str]:
        op, gates = self.op, self.op.gates
        block = op.cell(element_of(op.input))
        arguments = [self._input(g) for g in range(gates)]
        arguments += [f"product{g}" for g in range(gates)]
        arguments += [self._load(bias, "i1") for bias in [op.bias] if bias is not None]
        arguments += self._carried()[: len(block.args) - len(arguments)]
        printed = ScalarPrinter(self.storage.target).body(block, arguments)
        products = [line for g in range(gates) for line in self._product(g)]
        return [*products, *printed.lines, *self._stores(printed.results)]

    def _load(self, value: SSAValue, index: str) -> str:
        return load_text(self.dtype, self.storage.name(value), index)

    def _input(self, gate: int) -> str:
        row = f"(now * {self.batch} + i0) * {self.op.gates * self.hidden}"
        return self._load(self.op.input, f"{row} + {gate * self.hidden} + i1")

    def _state(self, unit: str) -> str:
        """The hidden state before this step."""
        first = self._load(self.op.hidden, f"i0 * {self.hidden} + {unit}")
        index = f"(before * {self.batch} + i0) * {self.hidden} + {unit}"
        return f"(step == 0 ? {first} : {self._load(self.op.output, index)})"

    def _product(self, gate: int) -> list[str]:
        index = f"k * {self.op.gates * self.hidden} + {gate * self.hidden} + i1"
        term = f"{self._state('k')} * {self._load(self.op.weight, index)}"
        body = [f"product{gate} += {term};"]
        return [
            f"{self.type} product{gate} = 0;",
            *for_loop("k", self.hidden, body),
        ]

    def _carried(self) -> list[str]:
        if not self.op.has_cell:
            return [self._state("i1")]
        at = f"i0 * {self.hidden} + i1"
        first, running = (
            self._load(value, at) for value in (self.op.extra[0], self.op.last_cell[0])
        )
        return [f"(step == 0 ? {first} : {running})"]

    def _stores(self, results: tuple[str, ...]) -> list[str]:
        names = [self.storage.name(value) for value in self.op.results]
        at = f"i0 * {self.hidden} + i1"
        places = [(names[0], f"now * {self.batch * self.hidden} + {at}", results[0])]
        places += [(n, at, text) for n, text in zip(names[1:], results, strict=True)]
        return [store_text(self.dtype, *place) + ";" for place in places]
