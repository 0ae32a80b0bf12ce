"""Element types: MLIR spelling, NumPy dtype and bytes, in one place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

import ml_dtypes
import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from mbc.errors import InvalidInput

Array = npt.NDArray[Any]
Tensor = TensorType[Attribute]

ELEMENT_TYPES: dict[str, Attribute] = {
    "f64": f64,
    "f32": f32,
    "f16": f16,
    "bf16": bf16,
    "i64": i64,
    "i32": i32,
    "i16": i16,
    "i8": i8,
    "i1": i1,
    "index": IndexType(),
}

NUMPY_DTYPES: dict[str, np.dtype[Any]] = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "i1": np.dtype(np.bool_),
    "index": np.dtype(np.int64),
}

FLOATS = (BFloat16Type, Float16Type, Float32Type, Float64Type)


def is_float(element: Attribute) -> bool:
    return isinstance(element, FLOATS)


def is_int(element: Attribute) -> TypeGuard[IntegerType | IndexType]:
    return isinstance(element, IntegerType | IndexType)


def numpy_dtype(element: Attribute) -> np.dtype[Any]:
    """The NumPy dtype of an element type; `InvalidInput` for one mbc lacks."""
    name = str(element)
    if name not in NUMPY_DTYPES:
        known = ", ".join(NUMPY_DTYPES)
        raise InvalidInput(f"element type {name} is not supported; supported: {known}")
    return NUMPY_DTYPES[name]


def element_type(name: str) -> Attribute:
    return ELEMENT_TYPES[name]


def accumulator(element: Attribute) -> Attribute:
    """The type that sums over `element` are carried in, as PyTorch does on CPU."""
    if isinstance(element, BFloat16Type | Float16Type):
        return f32
    return element


def tensor(shape: Sequence[int], element: Attribute) -> Tensor:
    return TensorType(element, list(shape))


def is_tensor(type: Attribute) -> TypeGuard[Tensor]:
    return isinstance(type, TensorType)


def tensors_among(types: Iterable[Attribute]) -> tuple[Tensor, ...]:
    return tuple(type for type in types if is_tensor(type))


def tensor_type(value: SSAValue) -> Tensor:
    """The type of a value that is known to be a tensor."""
    assert is_tensor(value.type)
    return value.type


def shape_of(value: SSAValue) -> tuple[int, ...]:
    return tuple(tensor_type(value).get_shape())


def element_of(value: SSAValue) -> Attribute:
    return tensor_type(value).element_type


def elements(type: Attribute) -> int:
    """Number of elements of a static tensor type."""
    assert is_tensor(type)
    return math.prod(type.get_shape())


def nbytes(type: Attribute) -> int:
    """Bytes of a dense row-major tensor; i1 is one byte."""
    assert is_tensor(type)
    return elements(type) * numpy_dtype(type.element_type).itemsize
