"""The seed of a model that draws random numbers: a parameter that each call updates."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch.fx import Node
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from mbc.frontend.arguments import Argument
from mbc.frontend.aten.random import DRAWS
from mbc.ir import build
from mbc.ir.arithmetic import add, constant
from mbc.ir.types import element_of

SEED = "mbc_seed"


def drawing(nodes: Iterable[Node]) -> list[Node]:
    """Those that draw random numbers."""
    return [n for n in nodes if str(n.target).removeprefix("aten.") in DRAWS]


def warning(nodes: Iterable[Node]) -> str:
    """One line that names the modules that draw."""
    paths = sorted({module_path(node) or "the model" for node in nodes})
    return (
        f"{', '.join(paths)}: draws random numbers, which differ from call to call; "
        f"the parameter '{SEED}' fixes them"
    )


def module_path(node: Node) -> str:
    """The innermost module that an operator was called in; "" is the model itself."""
    stack: dict[str, tuple[str, object]] = node.meta.get("nn_module_stack") or {}
    path, _ = list(stack.values())[-1] if stack else ("", None)
    return path.removeprefix("L['self'].").removeprefix("L['self']")


def with_seed(arguments: list[Argument]) -> list[Argument]:
    """The seed comes first, so that parameters stay before inputs."""
    return [Argument(SEED, (), torch.zeros((), dtype=torch.int64)), *arguments]


def next_seed(block: Block, seed: SSAValue) -> SSAValue:
    """What the next call starts from."""

    def body(x: SSAValue) -> SSAValue:
        return add(x, constant(1, x.type))

    with ImplicitBuilder(block):
        return build.elementwise([seed], (), element_of(seed), body)
