"""torch dtypes in mbc: element types are signless, so signedness stays with torch."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import torch
from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
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
from xdsl.ir import Attribute

from mbc.frontend.unsupported import Unsupported
from mbc.ir.types import Array

FLOATS: dict[torch.dtype, AnyFloat] = {
    torch.float64: f64,
    torch.float32: f32,
    torch.float16: f16,
    torch.bfloat16: bf16,
}

INTEGERS: dict[torch.dtype, IntegerType] = {
    torch.int64: i64,
    torch.int32: i32,
    torch.int16: i16,
    torch.int8: i8,
    torch.uint64: i64,
    torch.uint32: i32,
    torch.uint16: i16,
    torch.uint8: i8,
    torch.bool: i1,
}

UNSIGNED = frozenset({torch.uint8, torch.uint16, torch.uint32, torch.uint64})

NEXT_SIGNED = {
    torch.uint8: torch.int16,
    torch.uint16: torch.int32,
    torch.uint32: torch.int64,
}
"""A signed type that holds every value of an unsigned one."""


def element_of_dtype(dtype: torch.dtype) -> Attribute:
    element = FLOATS.get(dtype) or INTEGERS.get(dtype)
    if element is None:
        raise Unsupported(f"{dtype_name(dtype)} tensors are not supported")
    return element


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def opmath(dtype: torch.dtype) -> torch.dtype:
    """What PyTorch computes in: 16-bit floats are widened inside one operator."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def to_numpy(tensor: torch.Tensor) -> Array:
    """A row-major array; shares the tensor's memory where that is possible."""
    host = tensor.detach().cpu().contiguous()
    if host.dtype == torch.bfloat16:
        return host.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return np.asarray(host.numpy())
