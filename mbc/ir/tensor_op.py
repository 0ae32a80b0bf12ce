"""The base of every named tensor op: one text form, one interface, six questions.

An op answers: what types do my results have (`infer`), is this use legal (`check`),
which extents are tied (`dims`), what does it cost (`flops`), what does it compute
(`evaluate`, NumPy), and how do upstream ops say it (`decompose`). Everything else in
mbc, from shape fuzzing to emission, is built on those answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mbc.ir.types import Array, Tensor, tensors_among

PropertyValue = bool | int | float | str | Sequence[int] | Attribute


@dataclass(frozen=True)
class Dims:
    """Symbols of the extents of each operand and result axis.

    Two axes with one symbol have one extent. An axis named "" is fixed by the op or
    follows from others (a convolution's output row) and cannot be chosen.
    """

    operands: tuple[tuple[str, ...], ...]
    results: tuple[tuple[str, ...], ...]


def to_attribute(value: PropertyValue) -> Attribute:
    """The property attribute that stands for a Python value."""
    match value:
        case Attribute():
            return value
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case _:
            return DenseArrayBase.from_list(i64, list(value))


def int_values(attribute: Attribute) -> tuple[int, ...]:
    """The values of an `array<i64: ...>`."""
    assert isinstance(attribute, DenseArrayBase)
    return tuple(int(value) for value in attribute.get_values())


class TensorOp(IRDLOperation):
    """A pure function of tensors; subclasses are the named ops of the dialect."""

    @classmethod
    def of(cls, operands: Sequence[SSAValue], **properties: PropertyValue) -> Self:
        """Build the op with inferred result types; raises `VerifyException`."""
        attributes = {name: to_attribute(value) for name, value in properties.items()}
        # The probe answers for the types; an implicit builder would insert it.
        probe = cls.create(operands=operands, properties=attributes)
        if probe.parent is not None:
            probe.detach()
        types = [value.type for value in operands]
        tensors = tensors_among(types)
        if len(tensors) != len(types):
            raise VerifyException(f"{cls.name} takes tensors only")
        probe.check(tensors)
        results = probe.infer(tensors)
        probe.drop_all_references()
        op = cls.create(
            operands=operands, properties=attributes, result_types=list(results)
        )
        return op

    # The six questions.

    def check(self, types: Sequence[Tensor]) -> None:
        """Raise `VerifyException`, one plain sentence per violation."""

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Result types from operand types (legal ones) and properties."""
        raise NotImplementedError(self.name)

    def dims(self) -> Dims:
        raise NotImplementedError(self.name)

    def flops(self) -> int:
        """Arithmetic operations as written; a multiply-add counts as two."""
        raise NotImplementedError(self.name)

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        """The results, computed in the arrays' own precision (f32 or wider)."""
        raise NotImplementedError(self.name)

    def decompose(self) -> Sequence[SSAValue] | None:
        """Build the same function from upstream ops at the implicit insertion point.

        Returns the values of the results, or None where upstream cannot say it.
        """
        return None

    # Reading properties as Python values.

    def int_of(self, name: str) -> int:
        attribute = self.properties[name]
        assert isinstance(attribute, IntegerAttr)
        return attribute.value.data

    def bool_of(self, name: str) -> bool:
        return bool(self.int_of(name))

    def float_of(self, name: str) -> float:
        attribute = self.properties[name]
        assert isinstance(attribute, FloatAttr)
        return attribute.value.data

    def str_of(self, name: str) -> str:
        attribute = self.properties[name]
        assert isinstance(attribute, StringAttr)
        return attribute.data

    def ints_of(self, name: str) -> tuple[int, ...]:
        return int_values(self.properties[name])

    def tensor_operands(self) -> tuple[Tensor, ...]:
        return tensors_among(value.type for value in self.operands)

    def tensor_results(self) -> tuple[Tensor, ...]:
        return tensors_among(value.type for value in self.results)

    def verify_(self) -> None:
        types = self.tensor_operands()
        if len(types) != len(self.operands):
            raise VerifyException(f"{self.name} takes tensors only")
        found = self.tensor_results()
        if any(DYNAMIC_INDEX in type.get_shape() for type in (*types, *found)):
            return  # `specialize` verifies it again when the extent is known
        self.check(types)
        wanted = self.infer(types)
        if wanted != found:
            text = ", ".join(str(type) for type in wanted)
            raise VerifyException(
                f"{self.name} gives ({text}) here, "
                f"but its type says ({', '.join(str(type) for type in found)})"
            )

    # One text form for all: `mbc.op %a, %b {axis = 1 : i64} : (types) -> types`.

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        named = {**self.properties, **self.attributes}
        if named:
            printer.print_string(" ")
            printer.print_attr_dict(named)
        printer.print_string(" : ")
        # Not print_operation_type: that prints the location, which print_op does too.
        printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        named = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        operands = parser.resolve_operands(unresolved or [], type.inputs.data, position)
        known = cls.get_irdl_definition().properties
        properties = {name: a for name, a in named.items() if name in known}
        attributes = {name: a for name, a in named.items() if name not in known}
        return cls.create(
            operands=operands,
            result_types=type.outputs.data,
            properties=properties,
            attributes=attributes,
        )


def require(condition: bool, message: str) -> None:
    """Guard of a verifier."""
    if not condition:
        raise VerifyException(message)


def axis_in(op: TensorOp, axis: int, rank: int) -> None:
    require(0 <= axis < rank, f"{op.name}: axis {axis} is not in a rank-{rank} tensor")
