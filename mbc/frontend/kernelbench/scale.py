"""Problems at extents that an interpreter computes in seconds, from one table.

The table (`scale.json`) gives values for constants that a problem's file assigns and,
where `get_inputs` has numbers instead, the shapes of its random tensors. Kernels,
strides, groups, heads and layers stay as written; so does whatever is not in the table.
`tools/kernelbench_scale.py` makes it, and says by which rules.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from mbc.errors import InvalidInput
from mbc.frontend.model_file import Change

TABLE = Path(__file__).with_name("scale.json")
MOST_MULTIPLICATIONS = 200_000_000
SMALLEST = 3
DRAWN = ("rand", "randn")

Value = int | Sequence[int]


@dataclass(frozen=True)
class Scale:
    """Values for one problem; `tied` extents are equal because the model wants it, and
    `whole` problems cannot be cut that far: only their batch is."""

    constants: Mapping[str, Value] = field(default_factory=dict[str, Value])
    inputs: Sequence[Sequence[int]] = ()
    tied: Sequence[int] = ()
    whole: bool = False

    def extents(self) -> list[int]:
        """All that were chosen: of the constants, and of inputs what is new."""
        values = self.constants.values()
        found = [n for v in values for n in ([v] if isinstance(v, int) else v)]
        named = {*found}
        return found + [n for shape in self.inputs for n in shape if n not in named]


@cache
def scales() -> dict[str, Scale]:
    """By problem, as 2_66."""
    table: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return {problem: Scale(**entry) for problem, entry in table.items()}


def scale_of(problem: str) -> Scale:
    found = scales().get(problem)
    if found is None:
        raise InvalidInput(f"problem {problem} has no reduced extents")
    return found


def at_scale(scale: Scale) -> Change:
    """The change to a file's tree; `InvalidInput` if it has no such constant."""

    def change(tree: ast.Module) -> ast.Module:
        rewriter = _Rewriter(scale)
        changed = rewriter.visit(tree)
        missing = sorted(scale.constants.keys() - rewriter.found)
        if missing:
            raise InvalidInput(
                f"the file assigns no {', '.join(missing)}: reduced extents are known "
                "for KernelBench 423217d"
            )
        return ast.fix_missing_locations(changed)

    return change


class _Rewriter(ast.NodeTransformer):
    """Visits the module's own statements and the calls in `get_inputs`."""

    def __init__(self, scale: Scale):
        self.scale = scale
        self.found: set[str] = set()
        self._shapes = iter(scale.inputs)

    def visit_Module(self, node: ast.Module) -> ast.Module:
        for statement in node.body:
            match statement:
                case ast.Assign(targets=[target]):
                    statement.value = self._assigned(target, statement.value)
                case ast.Assign(targets=targets, value=value):
                    values = [self._assigned(target, value) for target in targets]
                    statement.targets = [ast.Tuple(targets, ast.Store())]
                    statement.value = ast.Tuple(values, ast.Load())
                case ast.FunctionDef(name="get_inputs"):
                    self.generic_visit(statement)
                case _:
                    pass
        return node

    def _assigned(self, target: ast.expr, value: ast.expr) -> ast.expr:
        match target, value:
            case ast.Name(name), _ if name in self.scale.constants:
                self.found.add(name)
                return _literal(self.scale.constants[name], value)
            case ast.Tuple(names), ast.Tuple(values) if len(names) == len(values):
                pairs = zip(names, values, strict=True)
                return ast.Tuple([self._assigned(n, v) for n, v in pairs], ast.Load())
            case _:
                return value

    def visit_Call(self, node: ast.Call) -> ast.Call:
        drawn = isinstance(node.func, ast.Attribute) and node.func.attr in DRAWN
        shape = next(self._shapes, None) if drawn else None
        if shape is not None:
            node.args = [ast.Constant(extent) for extent in shape]
        return node


def _literal(new: Value, old: ast.expr) -> ast.expr:
    """`new` as an integer, or as the kind of sequence that stood there."""
    if isinstance(new, int):
        return ast.Constant(new)
    elements: list[ast.expr] = [ast.Constant(n) for n in new]
    if isinstance(old, ast.Tuple):
        return ast.Tuple(elements, ast.Load())
    return ast.List(elements, ast.Load())
