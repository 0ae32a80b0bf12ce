"""Models with one extent that calls decide: imported at several, then made one.

torch.export says which axes are open and that the model allows it. What mbc makes of
them is shown, not assumed: from imports at two extents follows a function for all, and
at a third it must be the import, word for word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from mbc.errors import InvalidInput, UnsupportedModel
from mbc.frontend.arguments import placeholders
from mbc.frontend.export import BATCH_OF_ONE
from mbc.frontend.imported import ImportedModel
from mbc.ir.generalize import generalized
from mbc.ir.specialize import UNBOUNDED, set_range, specialized
from mbc.ir.text import print_module

CANDIDATES = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
"""Extents to import at: primes, which are rarely those of other axes, too."""
IMPORTS = 3


@dataclass(frozen=True)
class OpenExtent:
    """Axes of input leaves that are one extent between `low` and `high`."""

    axes: tuple[tuple[int, int], ...]
    low: int
    high: int

    def candidates(self, taken: set[int]) -> list[int]:
        inside = [n for n in CANDIDATES if self.low <= n <= self.high]
        near = range(max(self.low, 2), min(self.high, self.low + 50) + 1)
        ordered = dict.fromkeys([*(n for n in inside if n not in taken), *near])
        return list(ordered)[:IMPORTS]


def import_open(
    import_at: Callable[[Sequence[Any]], ImportedModel],
    program: ExportedProgram,
    inputs: Sequence[Any],
) -> ImportedModel:
    """`import_at` imports at the extents of given inputs; `program` is the export."""
    extent = open_extent(program, inputs)
    extents = extent.candidates(static_extents(inputs))
    if len(extents) < IMPORTS:
        raise UnsupportedModel(
            f"a dynamic dimension needs {IMPORTS} possible extents of at least 2"
        )
    one, other, third = (import_at(resized(inputs, extent, n)) for n in extents)
    if one.parameters.keys() != other.parameters.keys():
        raise UnsupportedModel("the model's parameters depend on a dynamic dimension")
    try:
        module = generalized(one.module, other.module)
        again = print_module(specialized(module, extents[2]))
    except InvalidInput as error:
        raise UnsupportedModel(
            f"a dynamic dimension cannot be kept open: {error.message}", error.location
        ) from error
    if again != print_module(third.module):
        raise UnsupportedModel(
            "a dynamic dimension cannot be kept open: the model's shapes are not "
            "products and sums of it"
        )
    set_range(module, extent.low, extent.high)
    return replace(one, module=module)


def open_extent(program: ExportedProgram, inputs: Sequence[Any]) -> OpenExtent:
    """What torch.export left open; `UnsupportedModel` unless it is one extent."""
    found = list(symbolic_axes(program))
    symbols = {expression for _, expression in found}
    if not found:
        ones = any(isinstance(x, torch.Tensor) and 1 in x.shape for x in leaves(inputs))
        fixed = "the model fixes the extent that was to be dynamic"
        raise UnsupportedModel(BATCH_OF_ONE if ones else fixed)
    (symbol, *others) = sorted(symbols, key=str)
    if others or not symbol.is_Symbol:
        raise UnsupportedModel(
            "one dynamic dimension is supported, and no sums or products of it; the "
            f"inputs have {', '.join(map(str, sorted(symbols, key=str)))}"
        )
    bounds: Any = getattr(program, "range_constraints")[symbol]  # typed only in part
    high = int(bounds.upper) if bounds.upper.is_Integer else UNBOUNDED
    return OpenExtent(tuple(place for place, _ in found), int(bounds.lower), high)


def symbolic_axes(
    program: ExportedProgram,
) -> Iterator[tuple[tuple[int, int], Any]]:
    """(input leaf, axis) and the expression of every extent that is not a number."""
    rows = placeholders(program)
    nodes = [node for spec, node in rows if spec.kind == InputKind.USER_INPUT]
    for leaf, node in enumerate(nodes):
        value = node.meta.get("val")
        shape: list[Any] = [*value.shape] if isinstance(value, torch.Tensor) else []
        for axis, extent in enumerate(shape):
            if isinstance(extent, torch.SymInt):
                symbolic: Any = extent
                yield (leaf, axis), symbolic.node.expr


def leaves(inputs: Sequence[Any]) -> list[Any]:
    return pytree.tree_leaves(tuple(inputs))


def static_extents(inputs: Sequence[Any]) -> set[int]:
    tensors = [x for x in leaves(inputs) if isinstance(x, torch.Tensor)]
    return {int(extent) for tensor in tensors for extent in tensor.shape}


def resized(inputs: Sequence[Any], extent: OpenExtent, size: int) -> Sequence[Any]:
    """Example inputs of another extent; export does not look at their values."""
    values, structure = pytree.tree_flatten(tuple(inputs))
    for leaf in {leaf for leaf, _ in extent.axes}:
        shape = list(values[leaf].shape)
        for axis in (axis for one, axis in extent.axes if one == leaf):
            shape[axis] = size
        values[leaf] = values[leaf].new_zeros(shape)
    return pytree.tree_unflatten(values, structure)
