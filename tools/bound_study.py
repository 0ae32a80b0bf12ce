"""How well the bound tells right kernels from nearly right ones.

    python -m tools.bound_study [CASES] [SEED]

Each case is a kernel of one family at random extents with random values. A NumPy
float32 implementation with sums in one accumulator stands for an honest kernel; the
same one that drops one term in a thousand, rounds its factors to tf32, or rounds its
result through bf16 stands for a wrong one. The last line is one JSON object.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import math
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Region, SSAValue

from mbc.ir import build
from mbc.ir.arithmetic import add, multiply
from mbc.ir.kernel import KernelOp, YieldOp
from mbc.ir.ops import op_class
from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import Array, shape_of, tensor
from mbc.runtime.bound import Agreement, Expected, compare, expected_results
from mbc.runtime.gates.profiles import Profile, draw

Body = Callable[..., SSAValue]
Shapes = list[tuple[int, ...]]
EPS = 1e-5
DROPPED = 1000
PROFILES: tuple[Profile, ...] = ("normal", "normal", "positive", "cancelling")


@dataclass(frozen=True)
class How:
    """What is wrong with an implementation; nothing by default."""

    drop: bool = False
    tf32: bool = False
    bf16: bool = False


WRONG = {"drop": How(drop=True), "tf32": How(tf32=True), "bf16": How(bf16=True)}


@dataclass(frozen=True)
class Family:
    """`products` are rounded by tf32; the summed axis is the first shape's last."""

    name: str
    shapes: Callable[[np.random.Generator], Shapes]
    body: Body
    compute: Callable[[Sequence[Array], How], Array]
    products: bool = False
    sums: bool = True


def long(rng: np.random.Generator) -> int:
    """Log-uniform in 1 ... 4000."""
    return int(4000.0 ** rng.random())


def total(terms: Array, how: How) -> Array:
    """The sum over the last axis, in one float32 accumulator."""
    if how.drop:
        length, dropped = terms.shape[-1], DROPPED // 2
        kept = [i for i in range(length) if i % DROPPED != dropped]
        terms = terms[..., kept]
    return np.add.accumulate(terms, axis=-1, dtype=np.float32)[..., -1]


def factor(array: Array, how: How) -> Array:
    """With the 10 mantissa bits of tf32, rounded to nearest."""
    if not how.tf32:
        return array
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return rounded.view(np.float32)


def gelu_body(x: SSAValue, y: SSAValue) -> SSAValue:
    def scalar(a: SSAValue, b: SSAValue) -> SSAValue:
        return multiply(add(a, b), math.TanhOp(a).result)

    return build.elementwise([x, y], shape_of(x), f32, scalar)


def gelu(args: Sequence[Array], how: How) -> Array:
    x, y = args
    return (x + y) * np.tanh(x)


def contract_body(a: SSAValue, b: SSAValue) -> SSAValue:
    return ContractOp.einsum("mk,nk->mn", a, b).result


def contract(args: Sequence[Array], how: How) -> Array:
    a, b = (factor(array, how) for array in args)
    return total(a[:, None, :] * b[None, :, :], how)


def row_sum(args: Sequence[Array], how: How) -> Array:
    return total(args[0], how)


def softmax(args: Sequence[Array], how: How) -> Array:
    (x,) = args
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / total(e, how)[..., None]


def layer_norm(args: Sequence[Array], how: How) -> Array:
    x, scale, shift = args
    count = np.float32(x.shape[-1])
    centred = x - (total(x, how) / count)[..., None]
    variance = total(centred * centred, how) / count
    return centred / np.sqrt(variance + np.float32(EPS))[..., None] * scale + shift


def scan(args: Sequence[Array], how: How) -> Array:
    x = args[0].copy()
    if how.drop:
        x[..., DROPPED // 2 :: DROPPED] = 0
    return np.add.accumulate(x, axis=-1, dtype=np.float32)


def named(name: str, **properties: float | bool | str | tuple[int, ...]) -> Body:
    def body(*args: SSAValue) -> SSAValue:
        return op_class(f"mbc.{name}").of(args, **properties).results[0]

    return body


def rows(rng: np.random.Generator) -> Shapes:
    return [(int(rng.integers(2, 9)), long(rng))]


def pointwise(rng: np.random.Generator) -> Shapes:
    shape = (int(rng.integers(1, 9)), int(rng.integers(1, 65)))
    return [shape, shape]


def factors(rng: np.random.Generator) -> Shapes:
    k = long(rng)
    return [(int(rng.integers(2, 7)), k), (int(rng.integers(2, 7)), k)]


def normed(rng: np.random.Generator) -> Shapes:
    shape = (int(rng.integers(2, 9)), 1 + long(rng))
    return [shape, shape[1:], shape[1:]]


FAMILIES = (
    Family("map", pointwise, gelu_body, gelu, sums=False),
    Family(
        "contract",
        factors,
        contract_body,
        contract,
        products=True,
    ),
    Family(
        "reduce", rows, named("reduce", kind="sum", axes=(1,), keepdims=False), row_sum
    ),
    Family("rowwise softmax", rows, named("softmax", axis=1, log=False), softmax),
    Family(
        "rowwise layer norm", normed, named("layer_norm", axes=1, eps=EPS), layer_norm
    ),
    Family(
        "nest scan",
        rows,
        named("scan", kind="sum", axis=1, exclusive=False, reverse=False),
        scan,
    ),
)


def kernel_of(shapes: Shapes, body: Body) -> KernelOp:
    types = [tensor(shape, f32) for shape in shapes]
    block, outer = Block(arg_types=types), Block(arg_types=types)
    with ImplicitBuilder(block):
        result = body(*block.args)
        YieldOp(result)
    return KernelOp("k0", outer.args, [result.type], Region(block))


def applies(name: str, family: Family, shapes: Shapes, profile: Profile) -> bool:
    """Whether a defect changes this case at all."""
    if profile == "cancelling":
        return False
    if name == "drop":
        return family.sums and shapes[0][-1] >= DROPPED
    return name == "bf16" or family.products


def agrees(expected: Sequence[Expected], made: Array) -> bool:
    return isinstance(compare(expected, [made]), Agreement)


def rounded(made: Array, how: How) -> Array:
    return made.astype(ml_dtypes.bfloat16).astype(np.float32) if how.bf16 else made


def study(cases: int, seed: int) -> Counter[tuple[str, str, bool]]:
    """How often each implementation of each family agreed (True) and did not."""
    rng = np.random.default_rng(seed)
    seen: Counter[tuple[str, str, bool]] = Counter()
    for index in range(cases):
        family = FAMILIES[index % len(FAMILIES)]
        shapes = family.shapes(rng)
        profile = PROFILES[int(rng.integers(len(PROFILES)))]
        kernel = kernel_of(shapes, family.body)
        args = draw(kernel.block, profile, seed + index)
        expected = expected_results(kernel, args, index)

        honest = family.compute(args, How())
        seen[family.name, "honest", agrees(expected, honest)] += 1
        for name, how in WRONG.items():
            if not applies(name, family, shapes, profile):
                continue
            made = rounded(family.compute(args, how), how)
            if not np.array_equal(made, honest):
                seen[family.name, name, agrees(expected, made)] += 1
    return seen


def errors_of(seen: Counter[tuple[str, str, bool]]) -> dict[str, list[int]]:
    """By family and implementation: wrong verdicts, and cases."""
    found: dict[str, list[int]] = {}
    for (family, name, agreed), count in sorted(seen.items()):
        row = found.setdefault(f"{family}: {name}", [0, 0])
        row[0] += count if agreed != (name == "honest") else 0
        row[1] += count
    return found


def main() -> None:
    numbers = [int(text) for text in sys.argv[1:3]]
    cases, seed = [*numbers, *(10_000, 0)[len(numbers) :]]
    errors = errors_of(study(cases, seed))
    for name, (wrong, count) in errors.items():
        print(f"{name:32} {wrong:5} of {count:6} misjudged")
    print(json.dumps({"cases": cases, "seed": seed, "misjudged": errors}))


if __name__ == "__main__":
    main()
