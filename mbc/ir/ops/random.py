"""mbc.random: numbers drawn by a counter-based generator, the same on all targets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply, subtract
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import (
    FLOATS,
    Array,
    Tensor,
    element_type,
    is_float,
    numpy_dtype,
    tensor,
)

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
"""Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
1, 2, 3" (SC 2011)."""

MANTISSA = {"f64": 32, "f32": 24, "f16": 11, "bf16": 8}
"""Random bits of a uniform number; f64 takes a word as it is."""

TURN = (float(np.float32(2 * math.pi)), 2 * math.pi)
"""A full turn, in f32 and in f64."""

KINDS = ("uniform", "normal", "bits")


@irdl_op_definition
class RandomOp(TensorOp):
    """Element i of the result is drawn from Philox at counter (i, stream) under `seed`.

    "uniform" is in [0, 1), "normal" has mean 0 and variance 1, "bits" are integers of
    32 random bits. The op is a pure function of the seed, which the caller changes
    from call to call; two draws of one call have different streams.
    """

    name = "mbc.random"
    seed = operand_def(TensorType)
    result = result_def(TensorType)
    kind = prop_def(StringAttr)
    stream = prop_def(IntegerAttr)
    shape = prop_def(DenseArrayBase[IntegerType])
    dtype = prop_def(StringAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        require(types[0] == tensor((), i64), "mbc.random: the seed is one i64")
        require(self.str_of("kind") in KINDS, f"mbc.random: {', '.join(KINDS)}")
        dtype = self.str_of("dtype")
        legal = ("i32", "i64") if self.str_of("kind") == "bits" else tuple(MANTISSA)
        require(dtype in legal, f"mbc.random: dtype is none of {', '.join(legal)}")
        shape = self.ints_of("shape")
        require(min(shape, default=0) >= 0, "mbc.random: an extent is negative")
        fits = math.prod(shape) < 2**32 and 0 <= self.int_of("stream") < 2**32
        require(fits, "mbc.random: counters have 32 bits")

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return (tensor(self.ints_of("shape"), element_type(self.str_of("dtype"))),)

    def dims(self) -> Dims:
        return Dims(((),), (("",) * len(self.ints_of("shape")),))

    def flops(self) -> int:
        """Two products and four exclusive ors a round."""
        return 6 * ROUNDS * math.prod(self.ints_of("shape"))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        shape, dtype = self.ints_of("shape"), self.str_of("dtype")
        words = philox(int(arrays[0]), self.int_of("stream"), math.prod(shape))
        if self.str_of("kind") == "bits":
            drawn = words[0].astype(np.uint32).view(np.int32)
        elif self.str_of("kind") == "uniform":
            drawn = uniform(words[0], MANTISSA[dtype])
        else:
            first, second = (uniform(word, MANTISSA["f32"]) for word in words[:2])
            radius = np.sqrt(-2.0 * np.log(1.0 - first))
            drawn = radius * np.cos(TURN[dtype == "f64"] * second)
        kept = np.float64 if dtype != "f64" and is_float(element_type(dtype)) else None
        drawn = drawn.reshape(shape)
        return (drawn if kept else drawn.astype(numpy_dtype(element_type(dtype))),)

    def decompose(self) -> Sequence[SSAValue]:
        shape, dtype = self.ints_of("shape"), self.str_of("dtype")
        element = element_type(dtype)
        reads = [build.dims_map(len(shape), [])]

        def body(seed: SSAValue) -> SSAValue:
            words = _philox(seed, self.int_of("stream"), _position(shape))
            match self.str_of("kind"):
                case "bits" if element == i64:
                    return arith.ExtSIOp(
                        arith.TruncIOp(words[0], i32).result, i64
                    ).result
                case "bits":
                    return arith.TruncIOp(words[0], i32).result
                case "uniform":
                    return _uniform(words[0], MANTISSA[dtype], element)
                case _:
                    return _normal(words, element)

        return (build.elementwise([self.seed], shape, element, body, reads),)


def philox(seed: int, stream: int, count: int) -> list[Array]:
    """Four words of 32 bits, in 64, for each counter below `count`."""
    low = np.uint64(0xFFFFFFFF)
    at = np.arange(count, dtype=np.uint64)
    nothing = np.zeros_like(at)
    words = [at, nothing + np.uint64(stream), nothing, nothing]
    keys = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(ROUNDS):
        first, second = (
            words[2 * i] * np.uint64(factor) for i, factor in enumerate(MULTIPLIERS)
        )
        words = [
            (second >> np.uint64(32)) ^ words[1] ^ np.uint64(keys[0]),
            second & low,
            (first >> np.uint64(32)) ^ words[3] ^ np.uint64(keys[1]),
            first & low,
        ]
        keys = [
            (key + step) & 0xFFFFFFFF for key, step in zip(keys, KEY_STEPS, strict=True)
        ]
    return words


def uniform(word: Array, bits: int) -> Array:
    return (word >> np.uint64(32 - bits)).astype(np.float64) * 2.0**-bits


def _position(shape: Sequence[int]) -> SSAValue:
    """The row-major number of the element, as i64."""
    total = constant(0, i64)
    for axis, extent in enumerate(shape):
        at = arith.IndexCastOp(IndexOp(axis).result, i64).result
        total = add(multiply(total, constant(extent, i64)), at)
    return total


def _philox(seed: SSAValue, stream: int, at: SSAValue) -> list[SSAValue]:
    """The words as i64, each below 2^32."""
    low = constant(0xFFFFFFFF, i64)
    zero = constant(0, i64)

    def high(x: SSAValue) -> SSAValue:
        return arith.ShRUIOp(x, constant(32, i64)).result

    def both(a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        return arith.XOrIOp(arith.XOrIOp(a, b).result, c).result

    words = [at, constant(stream, i64), zero, zero]
    keys = [arith.AndIOp(seed, low).result, high(seed)]
    for _ in range(ROUNDS):
        first = multiply(words[0], constant(MULTIPLIERS[0], i64))
        second = multiply(words[2], constant(MULTIPLIERS[1], i64))
        words = [
            both(high(second), words[1], keys[0]),
            arith.AndIOp(second, low).result,
            both(high(first), words[3], keys[1]),
            arith.AndIOp(first, low).result,
        ]
        keys = [
            arith.AndIOp(add(key, constant(step, i64)), low).result
            for key, step in zip(keys, KEY_STEPS, strict=True)
        ]
    return words


def _uniform(word: SSAValue, bits: int, element: Attribute) -> SSAValue:
    """The upper `bits` of a word as a fraction, exactly."""
    assert isinstance(element, FLOATS)
    kept = arith.ShRUIOp(word, constant(32 - bits, i64)).result
    return multiply(arith.SIToFPOp(kept, element).result, constant(2.0**-bits, element))


def _normal(words: Sequence[SSAValue], element: Attribute) -> SSAValue:
    """Box and Muller: a radius and an angle, in f32 or wider."""
    wide = element if element == element_type("f64") else element_type("f32")
    first, second = (_uniform(word, MANTISSA["f32"], wide) for word in words[:2])
    log = math_dialect.LogOp(subtract(constant(1.0, wide), first)).result
    radius = math_dialect.SqrtOp(multiply(constant(-2.0, wide), log)).result
    angle = multiply(constant(2 * math.pi, wide), second)
    drawn = multiply(radius, math_dialect.CosOp(angle).result)
    return drawn if wide == element else arith.TruncFOp(drawn, element).result
