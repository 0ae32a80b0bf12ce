"""A model as mbc holds it: IR, parameters, and how a call maps to arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr

from mbc.errors import InvalidInput
from mbc.frontend.foreign import adopt
from mbc.frontend.imported import ImportedModel
from mbc.frontend.signature import Signature
from mbc.frontend.store import SIGNATURE, read_text, save, with_parameters
from mbc.ir.execute import function_named
from mbc.ir.specialize import dynamic_function, specialized
from mbc.ir.text import parse_module, print_module
from mbc.ir.types import Array, numpy_dtype, tensor_type

if TYPE_CHECKING:
    from torch import Tensor, nn


@dataclass(frozen=True)
class Module:
    """`op` is the IR, `parameters` the arrays that its arguments name.

    `signature` maps a call's Python structure to the function's arguments and
    results; hand-written text takes its inputs in order and returns a tuple.
    """

    op: ModuleOp
    parameters: dict[str, Array]
    signature: Signature
    warnings: tuple[str, ...] = field(default=())

    @property
    def text(self) -> str:
        return print_module(self.op)

    @property
    def is_open(self) -> bool:
        """Whether an extent of the inputs is left to calls."""
        return dynamic_function(self.op) is not None

    def specialize(self, extent: int) -> Module:
        """The model at one value of its open extent, with the same parameters."""
        if not self.is_open:
            raise InvalidInput("no extent of the model is open")
        return replace(self, op=specialized(self.op, extent))

    def save(self, path: Path | str) -> None:
        """Write `path` and, where there are parameters, `.safetensors` beside it."""
        save(ImportedModel(self.op, self.parameters, self.signature), path)

    @staticmethod
    def load(path: Path | str) -> Module:
        """Read what `save` wrote, or any text; large constants become parameters."""
        path = Path(path)
        op = parse_module(read_text(path), str(path))
        if SIGNATURE not in op.attributes:
            return from_op(op, adopt(op))
        stored = with_parameters(op, path)
        return Module(stored.module, stored.parameters, stored.signature)


def from_op(op: ModuleOp, parameters: dict[str, Array] | None = None) -> Module:
    """A module without a Python signature; unnamed arguments become inputs arg<n>."""
    function = function_named(op, "forward")
    names = argument_names(function)
    inputs = {"tuple": [{"input": n} for kind, n in names if kind == "input"]}
    count = len(list(function.function_type.outputs))
    outputs = {"tuple": [{"result": i} for i in range(count)]}
    return Module(op, parameters or {}, Signature(inputs, outputs))


def argument_names(function: func.FuncOp) -> list[tuple[str, str]]:
    """("parameter" | "prepared" | "input", name) of every argument."""
    entries = list(function.arg_attrs or [])
    found: list[tuple[str, str]] = []
    for index in range(len(function.body.block.args)):
        entry = entries[index] if index < len(entries) else DictionaryAttr({})
        found.append(_kind_and_name(entry, index))
    return found


def _kind_and_name(entry: DictionaryAttr, index: int) -> tuple[str, str]:
    for kind in ("parameter", "input"):
        name = entry.data.get(f"mbc.{kind}")
        if isinstance(name, StringAttr):
            return kind, name.data
    if "mbc.prepared" in entry.data:
        return "prepared", ""
    return "input", f"arg{index}"


def import_model(
    model: nn.Module, example_inputs: Sequence[Tensor], dynamic_shapes: Any = None
) -> Module:
    """Import a PyTorch model; `UnsupportedModel` names every missing operator.

    The model is exported as it is: call `.eval()` first for inference semantics of
    dropout and batch norm (a warning names layers in training mode). With
    `dynamic_shapes`, as torch.export takes it, one extent of the inputs stays open.
    """
    from mbc.frontend.torch_export import import_model as export

    imported = export(model, example_inputs, dynamic_shapes=dynamic_shapes)
    warnings = tuple(imported.warnings)
    return Module(imported.module, imported.parameters, imported.signature, warnings)


def import_file(path: Path | str) -> Module:
    """Import from a file that defines `Model`, `get_inputs` and maybe
    `get_init_inputs` and `get_dynamic_shapes`; it is put into evaluation mode."""
    from mbc.frontend.model_file import load_model_file

    loaded = load_model_file(Path(path))
    return import_model(loaded.model, loaded.inputs, loaded.dynamic_shapes)


def check_arrays(op: ModuleOp, given: dict[str, Any]) -> dict[str, Array]:
    """Named inputs as arrays of the right shape and dtype."""
    return {name: to_numpy(value) for name, value in check_inputs(op, given).items()}


def check_inputs(op: ModuleOp, given: dict[str, Any]) -> dict[str, Any]:
    """Named arrays or tensors, where they are, of the right shape and dtype."""
    function = function_named(op, "forward")
    found: dict[str, Any] = {}
    rows = zip(argument_names(function), function.body.block.args, strict=True)
    for (kind, name), arg in rows:
        if kind != "input":
            continue
        if name not in given:
            raise InvalidInput(f"input '{name}' is missing")
        value = (
            given[name] if hasattr(given[name], "shape") else np.asarray(given[name])
        )
        type = tensor_type(arg)
        shape, dtype = tuple(type.get_shape()), numpy_dtype(type.element_type).name
        has = str(value.dtype).removeprefix("torch.")
        if tuple(value.shape) != shape or has not in (dtype, f"u{dtype}"):
            raise InvalidInput(
                f"input '{name}' is {has} {list(value.shape)}, "
                f"the model takes {dtype} {list(shape)}"
            )
        _check_not_differentiable(name, value)
        found[name] = value
    return found


def _check_not_differentiable(name: str, value: Any) -> None:
    if not getattr(value, "requires_grad", False):
        return
    torch: Any = import_module("torch")
    if torch.is_grad_enabled():
        raise InvalidInput(
            f"input '{name}' requires a gradient, and mbc does inference only: "
            "call it under torch.no_grad()"
        )


def to_numpy(value: Any) -> Array:
    """Arrays as they are, torch tensors without a copy where NumPy knows the dtype."""
    if isinstance(value, np.ndarray):
        return cast(Array, value)
    if hasattr(value, "detach"):
        from mbc.frontend.dtypes import to_numpy as array_of

        return array_of(value)
    return np.asarray(value)


def to_tensor(array: Any) -> Any:
    """A torch tensor that shares the array's memory; tensors as they are."""
    if hasattr(array, "detach"):
        return array
    torch: Any = import_module("torch")
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
