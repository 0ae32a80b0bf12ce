"""Models on disk: readable `model.mlir`, and `model.safetensors` beside it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr

from mbc.errors import InvalidInput
from mbc.frontend.imported import ImportedModel
from mbc.frontend.signature import Signature
from mbc.ir.text import parse_module, print_module
from mbc.ir.types import Array, Tensor, numpy_dtype, tensor_type

SIGNATURE = "mbc.signature"
WEIGHTS = ".safetensors"

# Typed as Any: the package's annotations are incomplete.
safetensors: Any = import_module("safetensors.numpy")


def read_text(path: Path | str) -> str:
    """The text of a user's file; `InvalidInput` if it cannot be read or is none."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"cannot open input file '{path}': {error.strerror}"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"input file '{path}' is not text") from error


def save(model: ImportedModel, path: Path | str) -> None:
    """Write `path` and its parameters; the signature is an attribute of the module."""
    path = Path(path)
    if path.suffix == WEIGHTS:
        raise InvalidInput(
            f"cannot write the model to '{path}': its parameters go to that file"
        )
    module = model.module.clone()
    module.attributes[SIGNATURE] = StringAttr(model.signature.to_json())
    path.write_text(print_module(module), encoding="utf-8")
    if model.parameters:
        arrays = {name: array.copy("C") for name, array in model.parameters.items()}
        weights = path.with_suffix(WEIGHTS)
        safetensors.save_file(arrays, weights)
        weights.chmod(0o644)  # safetensors writes for the owner only


def load(path: Path | str) -> ImportedModel:
    """Read what `save` wrote; parameters must match the arguments that name them."""
    path = Path(path)
    if not path.is_file():
        raise InvalidInput(f"{path}: no such file")
    return with_parameters(parse_module(read_text(path), str(path)), path)


def with_parameters(module: ModuleOp, path: Path) -> ImportedModel:
    """The module that `path` holds, without the signature's attribute."""
    text = module.attributes.pop(SIGNATURE, None)
    if not isinstance(text, StringAttr):
        raise InvalidInput(f"{path}: the module has no {SIGNATURE} attribute")
    wanted = dict(parameter_types(module))
    file = path.with_suffix(WEIGHTS)
    arrays = read_arrays(file, path) if wanted else {}
    for name, type in wanted.items():
        check(file, name, type, arrays.get(name))
    parameters = {name: arrays[name] for name in wanted}
    return ImportedModel(module, parameters, Signature.from_json(text.data))


def parameter_types(module: ModuleOp) -> Iterator[tuple[str, Tensor]]:
    """Every `mbc.parameter` of every function, with its type."""
    for op in module.body.block.ops:
        if not isinstance(op, func.FuncOp):
            continue
        described = op.arg_attrs or ArrayAttr([DictionaryAttr({})] * len(op.args))
        for argument, attributes in zip(op.args, described, strict=True):
            name = attributes.data.get("mbc.parameter")
            if isinstance(name, StringAttr):
                yield name.data, tensor_type(argument)


def read_arrays(file: Path, model: Path) -> dict[str, Array]:
    if not file.is_file():
        raise InvalidInput(f"{file}: no such file; {model.name} takes its parameters")
    try:
        return safetensors.load_file(file)
    except SafetensorError as error:
        raise InvalidInput(f"{file}: not a safetensors file: {error}") from error


def check(file: Path, name: str, type: Tensor, array: Array | None) -> None:
    if array is None:
        raise InvalidInput(f"{file}: parameter '{name}' is missing")
    dtype, shape = numpy_dtype(type.element_type), type.get_shape()
    unsigned_alike = array.dtype.kind == "u" and array.dtype.itemsize == dtype.itemsize
    fits = array.dtype == dtype or (unsigned_alike and dtype.kind == "i")
    if array.shape != shape or not fits:
        raise InvalidInput(
            f"{file}: parameter '{name}' is {array.dtype.name} {list(array.shape)}, "
            f"the model takes {type}"
        )
