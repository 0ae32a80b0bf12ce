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
WARNING = (
    f"the model draws random numbers, which differ from call to call: "
    f"the parameter '{SEED}' fixes them"
)


def draws_numbers(nodes: Iterable[Node]) -> bool:
    names = (str(node.target).removeprefix("aten.") for node in nodes)
    return any(name in DRAWS for name in names)


def with_seed(arguments: list[Argument]) -> list[Argument]:
    """The seed comes first, so that parameters stay before inputs."""
    return [Argument(SEED, (), torch.zeros((), dtype=torch.int64)), *arguments]


def next_seed(block: Block, seed: SSAValue) -> SSAValue:
    """What the next call starts from."""

    def body(x: SSAValue) -> SSAValue:
        return add(x, constant(1, x.type))

    with ImplicitBuilder(block):
        return build.elementwise([seed], (), element_of(seed), body)
