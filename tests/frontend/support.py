"""Import against eager PyTorch, in the given precision and in float64."""

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import torch
from torch import nn
from torch.utils import _pytree as pytree
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, StringAttr

from mbc.frontend.dtypes import to_numpy
from mbc.frontend.imported import ImportedModel
from mbc.frontend.signature import rebuild
from mbc.frontend.torch_export import import_model
from mbc.ir.execute import Mode, execute
from mbc.ir.text import parse_module, print_module

Array = np.ndarray[Any, Any]


class Function(nn.Module):
    """A plain function as a module."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function

    def forward(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def forward(model: ImportedModel) -> func.FuncOp:
    (function,) = model.module.body.block.ops
    assert isinstance(function, func.FuncOp)
    return function


def role(attributes: Any, name: str) -> Any:
    value = attributes.data.get(name)
    match value:
        case StringAttr():
            return value.data
        case IntegerAttr():
            return value.value.data
        case _:
            return None


def run(
    model: ImportedModel, inputs: Sequence[Any], mode: Mode = "given"
) -> tuple[Any, dict[str, Array]]:
    """What the model returns, and the updates by name."""
    function = forward(model)
    given = model.signature.input_values(inputs)
    arrays = {name: to_numpy(tensor) for name, tensor in given.items()}
    arrays |= model.parameters
    assert function.arg_attrs is not None
    assert function.res_attrs is not None
    arguments = [
        arrays[role(a, "mbc.parameter") or role(a, "mbc.input")]
        for a in function.arg_attrs
    ]
    results = execute(model.module, arguments, mode)
    outputs: dict[int, Array] = {}
    updates: dict[str, Array] = {}
    for attributes, result in zip(function.res_attrs, results, strict=True):
        unsigned = role(attributes, "mbc.dtype")
        value = result.view(unsigned) if unsigned else result
        if (name := role(attributes, "mbc.updates")) is not None:
            updates[name] = value
        else:
            outputs[role(attributes, "mbc.output")] = value
    ordered = [outputs[i] for i in range(len(outputs))]

    def leaf(kind: str, value: Any) -> Any:
        return ordered[value] if kind == "result" else value

    return rebuild(model.signature.outputs, leaf), updates


def assert_close(found: Array, wanted: Array, tolerance: float) -> None:
    assert found.shape == wanted.shape
    if wanted.dtype == ml_dtypes.bfloat16 or found.dtype == ml_dtypes.bfloat16:
        found, wanted = found.astype(np.float32), wanted.astype(np.float32)
    if wanted.dtype.kind != "f":
        np.testing.assert_array_equal(found, wanted)
        return
    finite = wanted[np.isfinite(wanted)]
    scale = float(np.abs(finite).max()) if finite.size else 1.0
    np.testing.assert_allclose(
        found, wanted, rtol=tolerance, atol=tolerance * max(scale, 1e-3)
    )


def assert_same(found: Any, wanted: Any, tolerance: float) -> None:
    """Trees of arrays and tensors that agree leaf by leaf, constants exactly."""
    leaves, spec = pytree.tree_flatten(found)
    expected, _ = pytree.tree_flatten(wanted)
    assert spec.num_leaves == len(expected)
    for leaf, other in zip(leaves, expected, strict=True):
        if isinstance(other, torch.Tensor):
            assert_close(leaf, to_numpy(other), tolerance)
        else:
            assert leaf == other


def double(value: Any) -> Any:
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_float else value


def check(
    model: nn.Module | Callable[..., Any],
    *inputs: Any,
    tolerance: float = 2e-5,
    float64: bool = True,
) -> ImportedModel:
    """Import, verify, read back, and compare with eager as given and in float64."""
    module = model if isinstance(model, nn.Module) else Function(model).eval()
    imported = import_model(module, inputs)
    imported.module.verify()
    assert_reads_back(imported)
    with torch.no_grad():
        wanted = module(*pytree.tree_map(clone, inputs))
        found, _ = run(imported, inputs)
        assert_dtypes(found, wanted)
        assert_same(found, wanted, tolerance)
        if float64:
            wanted = module.double()(*pytree.tree_map(double, inputs))
            found, _ = run(imported, inputs, "float64")
            assert_same(found, wanted, 2e-7)
    return imported


def assert_reads_back(imported: ImportedModel) -> None:
    text = print_module(imported.module)
    assert print_module(parse_module(text)) == text


def clone(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def assert_dtypes(found: Any, wanted: Any) -> None:
    for leaf, other in zip(
        pytree.tree_leaves(found), pytree.tree_leaves(wanted), strict=True
    ):
        if isinstance(other, torch.Tensor):
            assert leaf.dtype == to_numpy(other).dtype
