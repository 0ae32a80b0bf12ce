"""Pipelines as text: `a,b{x=1}` and `builtin.module(a,b{x=1})`, read, run, written.

The text of one pass is an action of the tuning loop.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ParameterType, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.utils.hints import isa

from mbc.errors import InvalidInput
from mbc.ir.specialize import refuse_dynamic
from mbc.ir.text import verify
from mbc.passes import all_passes

SELECTOR = "kernel"
"""The pass argument that addresses a kernel by its label."""

TAKE_OPEN_EXTENTS = ("assign-target", "specialize")
"""Passes that run on models with an extent that calls decide."""

WRAPPED = re.compile(r"\s*builtin\.module\s*\((.*)\)\s*", re.DOTALL)
BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

Callback = Callable[[ModulePass, ModuleOp], None]


def parse(text: str) -> tuple[ModulePass, ...]:
    """The passes of a pipeline in either spelling; `InvalidInput` if it is none."""
    wrapped = WRAPPED.fullmatch(text)
    body = (wrapped[1] if wrapped else text).strip()
    return tuple(_instance(spec) for spec in _specs(body))


def run(
    ctx: Context,
    module: ModuleOp,
    passes: Sequence[ModulePass],
    after: Callback | None = None,
) -> None:
    """Apply the passes in place and verify the module after each."""
    for instance in passes:
        apply(ctx, module, instance)
        verify(module)
        if after is not None:
            after(instance, module)


def apply(ctx: Context, module: ModuleOp, instance: ModulePass) -> None:
    """One pass in place; `InvalidInput` on a model that it cannot take."""
    if instance.name not in TAKE_OPEN_EXTENTS:
        refuse_dynamic(module)
    instance.apply(ctx, module)


def text_of(passes: Sequence[ModulePass]) -> str:
    """The canonical text: defaults left out, arguments in order, few quotes."""
    return ",".join(pass_text(instance) for instance in passes)


def pass_text(instance: ModulePass) -> str:
    return _spec_text(instance.name, instance.spec().parameters)


def selector_of(instance: ModulePass) -> str | None:
    """The label of the kernel that a pass addresses."""
    return getattr(instance, SELECTOR, None)


def _spec_text(name: str, parameters: Mapping[str, Sequence[ParameterType]]) -> str:
    if not parameters:
        return name
    entries = [
        "=".join([key.replace("_", "-"), *_joined(values)])
        for key, values in parameters.items()
    ]
    return f"{name}{{{' '.join(entries)}}}"


def _joined(values: Sequence[ParameterType]) -> list[str]:
    return [",".join(_value_text(value) for value in values)] if values else []


def _value_text(value: ParameterType) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return str(value)
    if BARE.fullmatch(value) and value not in ("true", "false"):
        return value
    return f'"{value}"'


def _specs(text: str) -> list[ArgSpec]:
    try:
        return list(parse_pipeline(text))
    # This error derives from BaseException.
    except ArgSpecParseError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise InvalidInput(f"pipeline '{text}': {_complaint(lines)}") from error


def _complaint(lines: Sequence[str]) -> str:
    """The last line of xDSL's report, without the marks under the text."""
    words = lines[-1].lstrip("^ ") if lines else ""
    return (words[:1].lower() + words[1:]) or "cannot be read"


def _class(spec: ArgSpec) -> type[ModulePass]:
    known = all_passes()
    if spec.name in known:
        return known[spec.name]()
    close = difflib.get_close_matches(spec.name, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise InvalidInput(f"'{spec.name}' does not refer to a registered pass{hint}")


def _instance(spec: ArgSpec) -> ModulePass:
    cls = _class(spec)
    arguments = _arguments(cls)
    given = {name.replace("-", "_") for name in spec.parameters}
    unknown = sorted(given - set(arguments))
    if unknown:
        known = ", ".join(arguments) or "none"
        raise InvalidInput(
            f"{spec.name} has no argument '{unknown[0]}'; arguments: {known}"
        )
    missing = sorted(cls.required_fields() - given)
    if missing:
        raise InvalidInput(f"{spec.name} needs the argument '{missing[0]}'")
    try:
        return cls.from_spec(spec)
    except ValueError as error:
        raise InvalidInput(_bad_value(cls, spec)) from error


def _bad_value(cls: type[ModulePass], spec: ArgSpec) -> str:
    """Which argument has a value of another type than it takes."""
    hints = get_type_hints(cls)
    for name, values in spec.normalize_parameter_names().parameters.items():
        if not _fits(values, hints[name]):
            found = ",".join(_value_text(value) for value in values) or "nothing"
            wanted = _arguments(cls)[name]
            return f"{spec.name}: {name} takes {wanted}, not {found}"
    return f"{spec.name}: the arguments do not fit together"


def _fits(values: tuple[ParameterType, ...], hint: Any) -> bool:
    """Whether xDSL converts the values to this type."""
    if not values:
        return isa(None, hint)
    return isa(values, hint) or (len(values) == 1 and isa(values[0], hint))


def _arguments(cls: type[ModulePass]) -> dict[str, object]:
    return {field.name: field.type for field in dataclasses.fields(cls) if field.init}
