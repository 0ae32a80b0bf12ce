"""recurrent on GPUs: a launch per step, whose groups take 32 units of a few batch rows.

The items of a group share out the sum over the hidden state; what they have of it meets
in shared memory, and one item per unit and row goes on to the cell.
"""

from __future__ import annotations

from mbc.codegen.emitters.simt import SimtFrame
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.recurrent import UNITS, RecurrentMatch, rows_of
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, RecurrentMatch)
    rows = rows_of(schedule)
    frame = SimtFrame(match, schedule, target, match.extents())
    size, spelling = frame.number("parallel"), frame.spelling
    strips = -(-match.hidden // UNITS)
    groups = strips * -(-match.batch // rows)
    launch = Launch(frame.label, (), (groups, 1, 1), (size, 1, 1), match.time)
    names = dict(zip("TBHG", (name for name, _ in frame.named)))
    return frame.code(
        "common/recurrent_simt.j2",
        [launch],
        match=match,
        n=names,
        rows=rows,
        size=size,
        units=UNITS,
        parts=size // UNITS,
        strips=strips,
        kernel=spelling.kernel.format(size),
        pointer=target.pointer,
        cell_lines=_cell(match, target, names["H"]),
    )


def _cell(match: RecurrentMatch, target: Target, hidden: str) -> list[str]:
    """From the products `total` of unit `j` of row `b` to its states."""
    at = f"b * {hidden} + j"
    arguments = [
        f"inputs[{match.offset(gate, hidden)}j]" for gate in range(match.gates)
    ]
    arguments += [f"total[{gate}]" for gate in range(match.gates)]
    arguments += [f"{match.extra}[j]"] if match.has_bias else []
    arguments += [f"{match.carried}[{at}]"] if match.carried else []
    printed = ScalarPrinter(target).body(match.block, arguments)
    places = [f"out[{at}]", f"{match.last}[{at}]"]
    values = [printed.results[0]] * 2
    if match.has_cell:
        places.append(f"{match.cell}[{at}]")
        values.append(printed.results[1])
    stores = zip(places, values, strict=True)
    return [*printed.lines, *(f"{place} = {value};" for place, value in stores)]
