"""Random draws: each a stream of its own under the model's seed."""

from __future__ import annotations

import torch
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, Number
from mbc.frontend.aten.convert import convert
from mbc.frontend.aten.formulas import like, scaled, select
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import add, multiply
from mbc.ir.ops.random import RandomOp
from mbc.ir.ops.sort import SortOp


def draw(call: Call, kind: str, dtype: str = "") -> SSAValue:
    assert call.draws is not None
    return RandomOp.of(
        [call.draws.seed],
        kind=kind,
        stream=call.draws.next_stream(),
        shape=call.shape,
        dtype=dtype or str(call.element),
    ).result


def of_kind(kind: str) -> Lowering:
    def lower(call: Call, *arguments: object, **options: object) -> SSAValue:
        return draw(call, kind)

    return lower


def between(kind: str, positional: int) -> Lowering:
    """uniform(x, from, to) and normal(mean, deviation): a draw, scaled and shifted."""

    def lower(
        call: Call, *arguments: Number, generator: object = None, **options: Number
    ) -> SSAValue:
        given = [*arguments[positional:], *options.values()][:2]
        numbers = [float(x) for x in given] + [0.0, 1.0][len(given) :]
        factor = numbers[1] - numbers[0] if kind == "uniform" else numbers[1]

        def body(x: SSAValue) -> SSAValue:
            return add(scaled(x, factor), like(numbers[0], x))

        drawn = draw(call, kind)
        return build.elementwise([drawn], call.shape, call.element, body)

    return lower


def chance(
    call: Call, x: SSAValue, probability: float = 0.5, generator: object = None
) -> SSAValue:
    """1 with a probability: where a draw is large, so that 0 and 1 are themselves."""

    def body(u: SSAValue) -> SSAValue:
        hit = arith.CmpfOp(u, like(1 - probability, u), "oge").result
        return convert(hit, torch.bool, call.dtype)

    drawn = draw(call, "uniform", "f32")
    return build.elementwise([drawn], call.shape, call.element, body)


def dropout(
    call: Call, x: SSAValue, probability: float, train: bool | None
) -> list[SSAValue]:
    """`x` where a draw is at least the probability, scaled up; and where that is."""
    if train is False:
        everywhere = build.filled(call.shape, IntegerType(1), 1)
        return [x, everywhere]
    scale = 1 / (1 - probability) if probability < 1 else 0.0
    drawn = draw(call, "uniform", "f32")

    def kept(u: SSAValue) -> SSAValue:
        return arith.CmpfOp(u, like(probability, u), "oge").result

    mask = build.elementwise([drawn], call.shape, IntegerType(1), kept)

    def body(value: SSAValue, keep: SSAValue) -> SSAValue:
        factor = select(keep, like(scale, value), like(0.0, value))
        return multiply(value, factor)

    scaled_up = build.elementwise([x, mask], call.shape, call.element, body)
    return [scaled_up, mask]


def integers(
    call: Call, low: int, high: object, *size: object, **options: object
) -> SSAValue:
    """Whole numbers from `low`, or from 0 where the size comes second."""
    first, last = (low, high) if isinstance(high, int) else (0, low)
    count = last - first
    if not 0 < count <= 2**31:
        raise Unsupported(f"a range of {count} numbers")

    def body(bits: SSAValue) -> SSAValue:
        low_bits = arith.AndIOp(bits, like(0xFFFFFFFF, bits)).result
        rest = arith.RemSIOp(low_bits, like(count, bits)).result
        return convert(add(rest, like(first, rest)), torch.int64, call.dtype)

    drawn = draw(call, "bits", "i64")
    return build.elementwise([drawn], call.shape, call.element, body)


def permutation(call: Call, count: int, **options: object) -> SSAValue:
    """Where random numbers go when they are put in order."""
    bits = draw(call, "bits", "i32")
    order = SortOp.of([bits], axis=0, count=count, descending=False, unsigned=False)
    if call.element == i64:
        return order.places

    def body(place: SSAValue) -> SSAValue:
        return convert(place, torch.int64, call.dtype)

    return build.elementwise([order.places], call.shape, call.element, body)


DRAWS: dict[str, Lowering] = {
    "rand.default": of_kind("uniform"),
    "rand_like.default": of_kind("uniform"),
    "randn.default": of_kind("normal"),
    "randn_like.default": of_kind("normal"),
    "uniform.default": between("uniform", 1),
    "normal.float_float": between("normal", 0),
    "bernoulli.p": chance,
    "native_dropout.default": dropout,
    "randint.default": integers,
    "randint.low": integers,
    "randperm.default": permutation,
}

LOWERINGS: dict[str, Lowering] = {**DRAWS}
