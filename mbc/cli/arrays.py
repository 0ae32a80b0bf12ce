"""Inputs and outputs of a model as `.npz` files."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mbc.errors import InvalidInput
from mbc.ir.types import NUMPY_DTYPES, Array


def read_inputs(path: Path, manifest: Mapping[str, Any]) -> list[Array]:
    """Arrays in the order of the model's inputs, found by name or else by order."""
    wanted: list[dict[str, Any]] = manifest["inputs"]
    arrays = _read(path)
    if all(one["name"] in arrays for one in wanted):
        found = [arrays[one["name"]] for one in wanted]
    elif len(arrays) == len(wanted) and set(arrays) == set(_ordinals(wanted)):
        found = [arrays[key] for key in _ordinals(wanted)]
    else:
        names = ", ".join(one["name"] for one in wanted) or "nothing"
        given = ", ".join(arrays) or "nothing"
        raise InvalidInput(f"{path} has {given}; the model takes {names}")
    return [_fitting(path, *pair) for pair in zip(wanted, found, strict=True)]


def write_outputs(
    path: Path, manifest: Mapping[str, Any], outputs: Sequence[Array]
) -> None:
    names = [one["name"] for one in manifest["outputs"]]
    named = dict(zip(names, outputs, strict=True))
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
        raise InvalidInput(
            f"cannot open inputs '{path}': {error.strerror or 'not an .npz file'}"
        ) from error
    except (ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"'{path}' is not an .npz file of plain arrays") from error


def _ordinals(wanted: Sequence[Any]) -> list[str]:
    """What `numpy.savez` calls arrays that are given without names."""
    return [f"arr_{index}" for index in range(len(wanted))]


def _fitting(path: Path, wanted: Mapping[str, Any], array: Array) -> Array:
    dtype, shape = NUMPY_DTYPES[wanted["dtype"]], tuple(wanted["shape"])
    if array.dtype.kind == "V" and array.dtype.itemsize == dtype.itemsize:
        # NumPy files know no bfloat16: it comes back as bare bytes.
        array = array.view(dtype)
    if array.dtype != dtype or array.shape != shape:
        given = _described(array.dtype, array.shape)
        raise InvalidInput(
            f"{path}: input '{wanted['name']}' is {given}, "
            f"the model takes {_described(dtype, shape)}"
        )
    return np.asarray(array, order="C")


def _described(dtype: np.dtype[Any], shape: tuple[int, ...]) -> str:
    return f"{dtype.name} {list(shape)}"
