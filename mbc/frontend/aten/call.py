"""One use of an ATen operator: what a lowering may ask while it builds mbc ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from mbc.frontend.aten.convert import convert
from mbc.frontend.dtypes import UNSIGNED, element_of_dtype, opmath
from mbc.ir import build
from mbc.ir.arithmetic import constant

Number = bool | int | float
Operand = SSAValue | Number
Results = SSAValue | Sequence[SSAValue | None]
Lowering = Callable[..., Results]
"""Takes the call, then the operator's arguments with the schema's own defaults."""


@dataclass
class Draws:
    """The seed of a model's random numbers, and how many draws there are so far."""

    seed: SSAValue
    streams: int = 0

    def next_stream(self) -> int:
        self.streams += 1
        return self.streams - 1


@dataclass(frozen=True)
class Call:
    metas: Mapping[SSAValue, torch.Tensor]
    """The fake tensor of every value that an argument can be."""
    outputs: tuple[torch.Tensor, ...]
    """The fake tensors of the operator's results."""
    picked: frozenset[int] = frozenset()
    """Which of several results anything reads."""
    draws: Draws | None = None
    """Present where the model has an operator that draws random numbers."""

    @property
    def dtype(self) -> torch.dtype:
        return self.outputs[0].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.outputs[0].shape)

    @property
    def element(self) -> Attribute:
        return element_of_dtype(self.dtype)

    def reads(self, result: int) -> bool:
        """Whether anything reads that one of several results."""
        return result in self.picked

    def dtype_of(self, value: SSAValue) -> torch.dtype:
        dtype = self.metas[value].dtype
        element_of_dtype(dtype)
        return dtype

    def promoted(self, a: Operand, b: Operand) -> torch.dtype:
        """The dtype that PyTorch compares or combines `a` and `b` in."""
        first, second = (
            self.metas[x] if isinstance(x, SSAValue) else x for x in (a, b)
        )
        return torch.result_type(first, second)

    def elementwise(
        self,
        operands: Sequence[Operand],
        body: Callable[..., SSAValue],
        compute: torch.dtype | None = None,
        wide: bool = False,
    ) -> SSAValue:
        """`body` over broadcast operands in dtype `compute`, to the call's dtype.

        `wide` bodies of several roundings run 16-bit floats in f32, as PyTorch does.
        """
        compute = compute or self.dtype
        compute = opmath(compute) if wide else compute
        element = element_of_dtype(compute)
        tensors = [x for x in operands if isinstance(x, SSAValue)]

        def scalar_body(*scalars: SSAValue) -> SSAValue:
            given = iter(scalars)
            values = [
                convert(next(given), self.dtype_of(x), compute)
                if isinstance(x, SSAValue)
                else constant(x, element)
                for x in operands
            ]
            made = body(*values)
            source = torch.bool if made.type == IntegerType(1) else compute
            return convert(made, source, self.dtype)

        return build.elementwise(tensors, self.shape, self.element, scalar_body)

    def cast(self, value: SSAValue, target: torch.dtype | None = None) -> SSAValue:
        """`value` as dtype `target`, by default the call's."""
        return cast(value, self.dtype_of(value), target or self.dtype)


def cast(value: SSAValue, source: torch.dtype, target: torch.dtype) -> SSAValue:
    """A whole tensor converted; itself where the element type stays."""
    same_bits = element_of_dtype(source) == element_of_dtype(target)
    if source == target or (same_bits and torch.bool not in (source, target)):
        return value
    return build.elementwise(
        [value],
        build.shape_of(value),
        element_of_dtype(target),
        lambda x: convert(x, source, target),
    )


def same(x: SSAValue) -> SSAValue:
    """The body of a generic that only moves."""
    return x


def is_unsigned(dtype: torch.dtype) -> bool:
    return dtype in UNSIGNED


def wrap(axis: int, rank: int) -> int:
    """A possibly negative axis, counted from the front; 0 for a scalar."""
    return axis % rank if rank else 0


def integers(value: int | Sequence[int], count: int) -> tuple[int, ...]:
    """`count` integers from one, from a list of one, or as they are."""
    if isinstance(value, int):
        return (value,) * count
    return tuple(value) * count if len(value) == 1 else tuple(value)
