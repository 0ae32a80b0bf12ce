"""`#mbc.schedule` and `#mbc.target`: what passes decide and what they aim at."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from mbc.ir.tensor_op import PropertyValue, int_values, to_attribute

Entry = int | float | str | tuple[int, ...]


def from_attribute(attribute: Attribute) -> Entry:
    """The Python value of an entry; the inverse of `to_attribute`."""
    match attribute:
        case IntegerAttr():
            return attribute.value.data
        case FloatAttr():
            return attribute.value.data
        case StringAttr():
            return attribute.data
        case DenseArrayBase():
            return int_values(attribute)
        case _:
            raise VerifyException(f"{attribute} is no integer, float, string or array")


def _entries(values: Mapping[str, PropertyValue]) -> DictionaryAttr:
    ordered = sorted(values.items())
    return DictionaryAttr({name: to_attribute(value) for name, value in ordered})


@irdl_attr_definition
class ScheduleAttr(ParametrizedAttribute):
    """`#mbc.schedule<{tile = array<i64: 7, 32>, vector = 4 : i64}>`

    The knobs that kernel-level passes set: `tile`, `vector`, `unroll`, `parallel`.
    What each means on a target is documented by the family that reads it; a knob
    that is absent takes the family's default.
    """

    name = "mbc.schedule"
    entries: DictionaryAttr = param_def()

    @classmethod
    def of(cls, values: Mapping[str, PropertyValue]) -> ScheduleAttr:
        return cls(_entries(values))

    def values(self) -> dict[str, Entry]:
        return {name: from_attribute(a) for name, a in self.entries.data.items()}

    def with_entry(self, name: str, value: PropertyValue) -> ScheduleAttr:
        return ScheduleAttr.of({**self.values(), name: value})

    def verify(self) -> None:
        """Shapes are of positive numbers; 0 alone is without what an entry counts."""
        for name, value in self.values().items():
            if isinstance(value, tuple) and any(n <= 0 for n in value):
                raise VerifyException(f"schedule entry {name} must be positive")
            if isinstance(value, int | float) and value < 0:
                raise VerifyException(f"schedule entry {name} must not be negative")


@irdl_attr_definition
class TargetAttr(ParametrizedAttribute):
    """`#mbc.target<"rvv", {vlen = 256 : i64}>`: a target and its options."""

    name = "mbc.target"
    target: StringAttr = param_def()
    options: DictionaryAttr = param_def()

    @classmethod
    def of(cls, name: str, options: Mapping[str, PropertyValue]) -> TargetAttr:
        return cls(StringAttr(name), _entries(options))

    def values(self) -> dict[str, Entry]:
        return {name: from_attribute(a) for name, a in self.options.data.items()}


TARGET = "mbc.target"
"""Name of the module attribute that holds the target."""


def target_of(module: ModuleOp) -> TargetAttr | None:
    """The target that `assign-target` put into the module, if it ran."""
    attribute = module.attributes.get(TARGET)
    return attribute if isinstance(attribute, TargetAttr) else None
