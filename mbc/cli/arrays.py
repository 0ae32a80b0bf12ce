"""Inputs and outputs of a model as `.npz` files."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mbc import Artifact
from mbc.errors import InvalidInput
from mbc.ir.types import NUMPY_DTYPES, Array


def read_inputs(path: Path, artifact: Artifact) -> dict[str, Array]:
    """By input name; `numpy.savez` without names gives them in order.

    Shapes and dtypes are checked where the inputs are used.
    """
    forward = artifact.code.forward
    inputs = [one for one in forward.arguments if one.kind == "input"]
    arrays = _read(path)
    keys = [one.name for one in inputs]
    if not set(keys) <= set(arrays):
        keys = [f"arr_{index}" for index in range(len(inputs))]
    if set(keys) != set(arrays):
        names = ", ".join(one.name for one in inputs) or "no inputs"
        given = ", ".join(arrays) or "nothing"
        raise InvalidInput(f"{path} has {given}; the model takes {names}")
    buffers = forward.program.by_name
    return {
        one.name: _typed(arrays[key], buffers[one.buffer].dtype)
        for one, key in zip(inputs, keys, strict=True)
    }


def write_outputs(path: Path, outputs: Sequence[Array]) -> None:
    named = {f"output{index}": array for index, array in enumerate(outputs)}
    try:
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, **named)
    except OSError as error:
        raise InvalidInput(f"cannot write '{path}': {error.strerror}") from error


def _read(path: Path) -> dict[str, Array]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file.items())
    except OSError as error:
        reason = error.strerror or "not an .npz file"
        raise InvalidInput(f"cannot open inputs '{path}': {reason}") from error
    except (ValueError, EOFError, TypeError, AttributeError, zipfile.BadZipFile):
        raise InvalidInput(f"'{path}' is not an .npz file of plain arrays") from None


def _typed(array: Array, name: str) -> Array:
    """NumPy files know no bfloat16: it comes back as bare bytes."""
    dtype = NUMPY_DTYPES[name]
    bare = array.dtype.kind == "V" and array.dtype.itemsize == dtype.itemsize
    return array.view(dtype) if bare else array
