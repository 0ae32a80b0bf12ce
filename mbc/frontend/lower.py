"""Lowers the nodes of an FX graph to ops, and gathers what it cannot lower."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node
from torch.fx.node import map_arg
from torch.utils._pytree import tree_leaves
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from mbc.frontend.aten import LOWERINGS
from mbc.frontend.aten.call import Call, Draws
from mbc.frontend.dtypes import element_of_dtype
from mbc.frontend.locations import attribute, node_location
from mbc.frontend.names import name_hint
from mbc.frontend.problems import Problems
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build

IGNORED = frozenset({"device", "layout", "memory_format", "non_blocking", "pin_memory"})
"""Keywords about where and how a tensor lies, which mean nothing to values."""

Value = SSAValue | None

UNKNOWN = object()
"""Stands for a value whose shape is not known before the model runs."""


@dataclass
class Lowerer:
    block: Block
    values: dict[Node, Any] = field(default_factory=dict[Node, Any])
    """The SSA value of a tensor, a list for several results, or a constant."""
    metas: dict[SSAValue, torch.Tensor] = field(
        default_factory=dict[SSAValue, torch.Tensor]
    )
    problems: Problems = field(default_factory=Problems)
    draws: Draws | None = None

    def define(self, node: Node, value: SSAValue, meta: torch.Tensor) -> None:
        self.values[node] = value
        self.metas[value] = meta
        if value.name_hint is None:
            value.name_hint = name_hint(node.name)

    def lower(self, node: Node) -> None:
        """Append the ops of one node; a placeholder where that is impossible."""
        outputs = node_outputs(node)
        if self._is_unknown(node, outputs):
            self.values[node] = UNKNOWN
            return
        if node.target is operator.getitem:
            self._pick(node)
            return
        last = self.block.last_op
        results = self._results(node, outputs)
        location = node_location(node)
        if location is not None:
            locate(last.next_op if last else self.block.first_op, location)
        if isinstance(results, SSAValue):
            self.define(node, results, outputs[0])
            return
        self.values[node] = results
        for result, meta in zip(results, outputs):
            if result is not None:
                self.metas[result] = meta

    def _is_unknown(self, node: Node, outputs: tuple[torch.Tensor, ...]) -> bool:
        """Whether a size depends on data; only the first such node is a problem."""
        if any(self.values[source] is UNKNOWN for source in node.all_input_nodes):
            return True
        extents: list[Any] = [extent for output in outputs for extent in output.shape]
        if not any(isinstance(extent, torch.SymInt) for extent in extents):
            return False
        reason = "the size of its result depends on data"
        self.problems.add(str(node.target), reason, node_location(node))
        return True

    def _results(
        self, node: Node, outputs: tuple[torch.Tensor, ...]
    ) -> SSAValue | Sequence[Value]:
        name = str(node.target)
        try:
            return self._built(node, outputs)
        except (Unsupported, VerifyException) as problem:
            self.problems.add(name, str(problem), node_location(node))
            with ImplicitBuilder(self.block):
                made = [placeholder(output) for output in outputs]
            single = isinstance(node.meta.get("val"), torch.Tensor)
            return made[0] if single else made

    def _built(
        self, node: Node, outputs: tuple[torch.Tensor, ...]
    ) -> SSAValue | Sequence[Value]:
        lowering = LOWERINGS.get(str(node.target).removeprefix("aten."))
        if lowering is None:
            raise Unsupported("")
        for output in outputs:
            element_of_dtype(output.dtype)
        arguments = map_arg(node.args, self.values.__getitem__)
        options = map_arg(node.kwargs, self.values.__getitem__)
        assert isinstance(arguments, tuple)
        assert isinstance(options, dict)
        kept = {key: v for key, v in options.items() if key not in IGNORED}
        with ImplicitBuilder(self.block):
            call = Call(self.metas, outputs, picked(node), self.draws)
            return lowering(call, *arguments, **kept)

    def _pick(self, node: Node) -> None:
        """One result of an operator with several."""
        source, index = node.args
        assert isinstance(source, Node)
        assert isinstance(index, int)
        meta = node.meta["val"]
        value = self.values[source][index]
        if value is None:
            reason = f"result {index} is used"
            self.problems.add(str(source.target), reason, node_location(node))
            with ImplicitBuilder(self.block):
                value = placeholder(meta)
        self.define(node, value, meta)


def node_outputs(node: Node) -> tuple[torch.Tensor, ...]:
    values = tree_leaves(node.meta.get("val"))
    return tuple(v for v in values if isinstance(v, torch.Tensor))


def picked(node: Node) -> frozenset[int]:
    """Which of an operator's several results are read."""
    picks = [user.args[1] for user in node.users if user.target is operator.getitem]
    return frozenset(index for index in picks if isinstance(index, int))


def placeholder(output: torch.Tensor) -> SSAValue:
    """A value of the right shape, so that the rest of the model can be looked at."""
    return build.empty(tuple(output.shape), element_or_f32(output.dtype))


def element_or_f32(dtype: torch.dtype) -> Attribute:
    """f32 stands in for what mbc does not have, in a model that is refused later."""
    try:
        return element_of_dtype(dtype)
    except Unsupported:
        return element_of_dtype(torch.float32)


def locate(first: Operation | None, location: Any) -> None:
    """Give ops from `first` to the end of its block a source location."""
    where = attribute(location)
    while first is not None:
        first.location = where
        first = first.next_op


def live_nodes(output: Node) -> set[Node]:
    """Nodes that the output depends on; what else they do, export has made values."""
    found: set[Node] = set()
    pending = [output]
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += node.all_input_nodes
    return found


def erase_dead(block: Block) -> None:
    """Drop ops whose results nothing uses, such as indices of a maximum."""
    for op in reversed(list(block.ops)):
        if op.results and not any(result.first_use for result in op.results):
            op.detach()
            op.erase()
