"""recurrent: an LSTM, a GRU or a plain RNN walks its sequence, vectorized over units.

The inputs' products are an operand, made by one contraction for all steps; what is
left in a step is the product of the hidden state and the cell behind it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import compute_ops
from mbc.codegen.families.vectors import lane_use
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.recurrent import RecurrentOp
from mbc.ir.types import element_of, shape_of


@dataclass(frozen=True)
class RecurrentMatch(Match):
    """Input (time, batch, gates * hidden), weight (hidden, gates * hidden).

    The names of buffers: `extra` is an LSTM's cell state or a GRU's bias, or empty;
    `output` holds the hidden states of all steps and `cell` an LSTM's running state.
    """

    op: RecurrentOp
    input: str
    weight: str
    state: str
    extra: str
    output: str = "r0"
    last: str = "r1"
    cell: str = "r2"

    @property
    def time(self) -> int:
        return shape_of(self.op.input)[0]

    @property
    def batch(self) -> int:
        return shape_of(self.op.hidden)[0]

    @property
    def hidden(self) -> int:
        return shape_of(self.op.hidden)[1]

    @property
    def gates(self) -> int:
        return self.op.gates

    @property
    def reverse(self) -> bool:
        return self.op.bool_of("reverse")

    @property
    def has_cell(self) -> bool:
        return self.op.has_cell

    @property
    def has_bias(self) -> bool:
        return self.op.bias is not None

    @property
    def columns(self) -> int:
        """Products of a batch row in one step."""
        return self.gates * self.hidden

    @property
    def carried(self) -> str:
        """What a unit carries on: its cell or its hidden state before, or nothing."""
        return {"lstm": "cell", "gru": "state"}.get(self.op.str_of("kind"), "")

    @staticmethod
    def offset(gate: int, hidden: str) -> str:
        """The text in front of a unit's index among the columns of a gate."""
        if gate < 2:
            return f"{hidden} + " if gate else ""
        return f"{gate} * {hidden} + "

    @property
    def block(self) -> Block:
        """One unit of one step, as `RecurrentOp.cell` says."""
        return self.op.cell(f32)

    def extents(self) -> tuple[tuple[str, int], ...]:
        """What the text names: steps, batch rows, hidden units, columns."""
        values = (self.time, self.batch, self.hidden, self.columns)
        return tuple(zip("TBHG", values))


class RecurrentFamily:
    """Knobs: `tile` (batch rows that share a load of the weight), `vector` (LMUL on
    RVV, lanes of CPU work items) along the columns, `unroll` of the products, and on
    GPUs `parallel` (items of a group, which share the products of 32 units)."""

    def match(self, kernel: KernelOp, target: Target) -> RecurrentMatch | None:
        ops = compute_ops(kernel)
        if len(ops) != 1 or not isinstance(op := ops[0], RecurrentOp):
            return None
        if str(element_of(op.input)) != "f32":
            return None
        if 0 in (*shape_of(op.input), *shape_of(op.hidden)):
            return None
        names = dict[SSAValue, str](
            (arg, f"a{i}") for i, arg in enumerate(kernel.block.args)
        )
        if any(value not in names for value in op.operands):
            return None
        if tuple(kernel.terminator.values) != tuple(op.results):
            return None
        operands = [names[value] for value in op.operands]
        input, weight, state, *extra = operands
        last = extra[0] if extra else ""
        return RecurrentMatch("recurrent", kernel, op, input, weight, state, last)

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, RecurrentMatch)
        if not target.simt:
            return _rvv_space(match)
        form = _cpu_space if target.is_cpu_style else _gpu_space
        return form(match, target)

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        assert isinstance(match, RecurrentMatch)
        if target.simt:
            return ""
        rows, vector = rows_of(schedule), schedule.get("vector", 1)
        assert isinstance(vector, int)
        if (rows + 1) * vector <= REGISTERS:
            return ""
        return f"{rows} rows at LMUL {vector} need over {REGISTERS} registers"

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        """Every step reads the weight anew, once per tile of batch rows."""
        assert isinstance(match, RecurrentMatch)
        rows = rows_of(schedule)
        tiles = -(-match.batch // rows)
        again = 4 * match.gates * match.hidden**2 * (match.time * tiles - 1)
        gpu = target.simt and not target.is_cpu_style
        extent = match.hidden if gpu else match.columns
        lanes = UNITS if gpu else lane_use(target, schedule)
        vectors = -(-extent // lanes)
        use = match.batch / (tiles * rows) * extent / (vectors * lanes)
        bytes = fewest_bytes(match.kernel) + again
        parallel = tiles if target.is_cpu_style else tiles * vectors
        return Cost(flops(match.kernel), bytes, parallel, use)


REGISTERS = 32
UNITS = 32
"""That neighbouring work items of a GPU's group take."""


def rows_of(schedule: Schedule) -> int:
    tile = schedule.get("tile", (1,))
    assert isinstance(tile, tuple)
    return tile[0]


def _even(batch: int, most: int) -> int:
    """The rows of a tile where as few tiles as `most` allows share the batch evenly."""
    return -(-batch // -(-batch // most))


def _rvv_space(match: RecurrentMatch) -> Space:
    """Few rows leave registers for longer vectors."""
    rows = dict.fromkeys((_even(match.batch, 8), 8, 6, 4, 3, 2, 1, 12))
    tiles = tuple((r,) for r in rows if r <= match.batch)
    first = next(v for v in (4, 2, 1) if (tiles[0][0] + 2) * v <= REGISTERS)
    return {
        "tile": tiles,
        "vector": tuple(dict.fromkeys((first, 2, 1, 4, 8))),
        "unroll": (2, 1, 4),
    }


def _cpu_space(match: RecurrentMatch, target: Target) -> Space:
    """A work item per tile: no larger than leaves one for each processor."""
    most = min(6, -(-match.batch // target.peaks.units))
    rows = dict.fromkeys((_even(match.batch, most), 4, 6, 2, 1, 8, 12))
    tiles = tuple((r,) for r in rows if r <= match.batch)
    return {"tile": tiles, "vector": (16, 8, 4), "unroll": (1, 2, 4)}


def _gpu_space(match: RecurrentMatch, target: Target) -> Space:
    """First the most rows that still give each unit of the GPU a group."""
    strips = -(-match.hidden // UNITS)
    most = [r for r in (8, 4, 2, 1) if r < 2 * match.batch]
    enough = (r for r in most if strips * -(-match.batch // r) >= target.peaks.units)
    rows = dict.fromkeys((next(enough, 1), 4, 2, 1, 8))
    return {"tile": tuple((r,) for r in rows), "parallel": (256, 128, 64, 32)}
