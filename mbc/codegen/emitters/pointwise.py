"""What an element of a pointwise kernel takes, in the scalar C of every target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from mbc.codegen.expression import ScalarPrinter, load_text, local_type, store_text
from mbc.codegen.families.body import buffer_names
from mbc.codegen.families.map import MapMatch
from mbc.codegen.loops import Access, Nest, index_text
from mbc.codegen.nest.stage import flat_index, parenthesized
from mbc.codegen.targets import Target
from mbc.ir.types import element_of, shape_of


@dataclass(frozen=True)
class Statements:
    """`uniform` hold along the last loop; `lines` are for each of its elements."""

    uniform: list[str]
    lines: list[str]


def with_a_loop(nest: Nest) -> Nest:
    """A single element as a loop of extent 1."""
    if nest.extents:
        return nest

    def still(access: Access) -> Access:
        return replace(access, strides=(0,))

    inputs, outputs = map(still, nest.inputs), map(still, nest.outputs)
    return Nest((1,), ("parallel",), tuple(inputs), tuple(outputs))


def statements(
    match: MapMatch,
    nest: Nest,
    target: Target,
    indices: Sequence[str],
    extents: Sequence[tuple[str, int]],
) -> Statements:
    """`indices` and (name, value) of `extents` are those of the loops of `nest`."""
    found, block = Statements([], []), match.op.body.block
    for j, (access, argument) in enumerate(zip(nest.inputs, block.args)):
        if not argument.uses:
            continue
        index = index_text(access, indices, extents)
        value = load_text(access.dtype, access.buffer, index)
        line = f"const {local_type(argument.type, target)} x{j} = {value};"
        (found.lines if access.strides[-1] else found.uniform).append(line)
    names = [f"x{j}" for j in range(len(nest.inputs))]
    unused = ["0"] * len(nest.outputs)
    printed = _printer(match, target, indices).body(block, [*names, *unused])
    found.lines.extend(printed.lines)
    for access, value in zip(nest.outputs, printed.results, strict=True):
        index = index_text(access, indices, extents)
        text = store_text(access.dtype, access.buffer, index, value)
        found.lines.append(f"{text};")
    return found


def _printer(match: MapMatch, target: Target, indices: Sequence[str]) -> ScalarPrinter:
    names = buffer_names(match.kernel)

    def element(value: SSAValue, at: Sequence[str]) -> str:
        index = flat_index([parenthesized(i) for i in at], shape_of(value))
        return load_text(str(element_of(value)), names[value], index)

    return ScalarPrinter(target, indices, element)
