"""Whether an imported model computes what PyTorch does, on one set of inputs.

`execute` in float64 is the reference, and the gates' bound what an element may differ
by. PyTorch is judged twice: in the model's own precision, and in float64, where only
constants are rounded and a sixteenth of the bound must do. Random numbers are
PyTorch's; buffers and inputs that the model writes to are compared as results.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr

from mbc.api.module import argument_names, to_numpy
from mbc.frontend.imported import ImportedModel
from mbc.ir.execute import function_named
from mbc.ir.ops.random import RandomOp
from mbc.ir.types import Array
from mbc.runtime.bound import Expected, Mismatch, compare, expected_results

if TYPE_CHECKING:
    from torch import Tensor, nn

WIDE_SHARE = 16.0
SEED = "mbc_seed"


@dataclass(frozen=True)
class Equal:
    """The largest shares of an element's bound that PyTorch's results used."""

    given: float
    wide: float


@dataclass(frozen=True)
class Differs:
    reason: str


def agreement(
    model: nn.Module, inputs: Sequence[Any], imported: ImportedModel
) -> Equal | Differs:
    """Compare `imported` with the model that it was made from, which is not changed."""
    from mbc.frontend.draws import with_draws_as_arguments

    given, draws = _eager(model, inputs, imported)
    wide = _eager_wide(model, inputs, imported, draws)
    function = function_named(imported.module, "forward")
    named = values_of(imported, inputs).values()
    # What PyTorch draws and no result depends on is not in the IR.
    used = draws if any(isinstance(op, RandomOp) for op in function.walk()) else ()
    arguments = [*named, *(to_numpy(draw) for draw in used)]
    drawn = with_draws_as_arguments(function, len(used))
    expected = expected_results(drawn, arguments)
    kept = [i for i, name in enumerate(_results(function)) if name != SEED]
    judged = [expected[i] for i in kept]
    shares: list[float] = []
    for label, bounds, got in (
        ("", judged, given),
        ("in float64, ", [_narrowed(want) for want in judged], wide),
    ):
        verdict = compare(bounds, got)
        if isinstance(verdict, Mismatch):
            return Differs(f"{label}{verdict}")
        shares.append(verdict.worst)
    return Equal(*shares)


def _narrowed(want: Expected) -> Expected:
    return Expected(want.value, want.bound / WIDE_SHARE, want.decided)


def _eager(
    model: nn.Module, inputs: Sequence[Any], imported: ImportedModel
) -> tuple[list[Array], list[Tensor]]:
    """PyTorch's results in the order of the function's, and what it drew."""
    from mbc.frontend.draws import RecordedDraws

    given = [_clone(value) for value in inputs]
    with _state_as(model, _clone), RecordedDraws() as record:
        returned = _call(model, given)
        return _arrays(model, given, returned, imported), record.draws


def _eager_wide(
    model: nn.Module,
    inputs: Sequence[Any],
    imported: ImportedModel,
    draws: Sequence[Tensor],
) -> list[Array]:
    """The same in float64, which new tensors of the model have, too."""
    from mbc.frontend.draws import ReplayedDraws

    torch: Any = import_module("torch")
    given = [_double(value) for value in inputs]
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _state_as(model, _double), ReplayedDraws(draws):
            returned = _call(model, given)
            return _arrays(model, given, returned, imported)
    finally:
        torch.set_default_dtype(before)


@contextmanager
def _state_as(model: nn.Module, convert: Callable[[Any], Any]) -> Generator[None]:
    """Copies take the place of the data of all state, and go with what was written.

    The tensors stay the same objects: a copy of a model would miss those that its
    functions have captured.
    """
    before = [(layer, _tensors(layer)) for layer in _layers(model)]
    kept = {id(t): (t, t.data) for _, own in before for t in own.values()}
    for tensor, data in kept.values():
        tensor.data = convert(data)
    try:
        yield
    finally:
        for layer, own in before:
            for name, tensor in own.items():
                setattr(layer, name, tensor)
        for tensor, data in kept.values():
            tensor.data = data


def _layers(model: nn.Module) -> list[nn.Module]:
    modules: Any = model.modules
    return list(modules())


def _tensors(layer: nn.Module) -> dict[str, Any]:
    """Parameters, buffers and plain attributes of one layer."""
    parameters: dict[str, Any] = dict(layer.named_parameters(recurse=False))
    buffers: dict[str, Any] = dict(layer.named_buffers(recurse=False))
    plain = {n: v for n, v in vars(layer).items() if hasattr(v, "untyped_storage")}
    return parameters | buffers | plain


def _clone(value: Any) -> Any:
    return value.clone() if hasattr(value, "untyped_storage") else value


def _double(value: Any) -> Any:
    """A copy, in float64 where it is floating."""
    copied = _clone(value)
    floating = getattr(copied, "is_floating_point", lambda: False)()
    return copied.double() if floating else copied


def _call(model: nn.Module, inputs: Sequence[Any]) -> Any:
    torch: Any = import_module("torch")
    with torch.no_grad():
        return model(*inputs)


def _arrays(
    model: nn.Module, inputs: Sequence[Any], returned: Any, imported: ImportedModel
) -> list[Array]:
    """Outputs, and after the call the state and inputs that it wrote to."""
    outputs = imported.signature.output_values(returned)
    given = imported.signature.input_values(inputs)
    found: list[Any] = []
    for name in _results(function_named(imported.module, "forward")):
        if isinstance(name, int):
            found.append(outputs[name])
        elif name != SEED:
            found.append(given[name] if name in given else _state(model, name))
    return [to_numpy(value) for value in found]


def _state(model: nn.Module, path: str) -> Any:
    value: Any = model
    for name in path.split("."):
        value = getattr(value, name)
    return value


def _results(function: func.FuncOp) -> list[int | str]:
    """The index of an output, or the name of what is updated, of every result."""
    return [_result(entry) for entry in function.res_attrs or ()]


def _result(entry: DictionaryAttr) -> int | str:
    output, updated = entry.data.get("mbc.output"), entry.data.get("mbc.updates")
    if isinstance(output, IntegerAttr):
        return output.value.data
    assert isinstance(updated, StringAttr)
    return updated.data


def values_of(imported: ImportedModel, inputs: Sequence[Any]) -> dict[str, Array]:
    """The argument values of @forward by name, in its order."""
    function = function_named(imported.module, "forward")
    given = imported.signature.input_values(inputs)
    values: dict[str, Any] = {**imported.parameters, **given}
    return {name: to_numpy(values[name]) for _, name in argument_names(function)}
