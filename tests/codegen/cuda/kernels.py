"""Every template at sizes with tails, primes and ones, and at every knob's values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, SSAValue

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, maximum, multiply, subtract
from mbc.ir.attributes import Entry
from mbc.ir.ops import op_class
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.types import element_of, element_type, shape_of
from tests.codegen.cuda.samples import Sample, sample, sample_of
from tests.codegen.functions import functions_of_one, functions_of_two


def relu_of_sum(x: SSAValue, y: SSAValue) -> SSAValue:
    return maximum(add(x, y), constant(0.0, x.type))


def pointwise(name: str, shapes: Sequence[Sequence[int]], **schedule: Entry) -> Sample:
    """relu(x + y) over the first shape; y broadcasts to it."""
    return sample(
        name,
        shapes,
        lambda x, y: build.elementwise([x, y], shapes[0], f32, relu_of_sum),
        **schedule,
    )


def two_results(x: SSAValue, y: SSAValue) -> Sequence[SSAValue]:
    shape = shape_of(x)
    outs = [build.empty(shape, f32), build.empty(shape, f32)]
    identity = build.identity_map(len(shape))

    def body(p: SSAValue, q: SSAValue, *_: SSAValue) -> Sequence[SSAValue]:
        return math.TanhOp(p).result, arith.DivfOp(p, math.ExpOp(q).result).result

    kinds = ["parallel"] * len(shape)
    return build.generic([x, y], outs, [identity] * 4, kinds, body)


def doubled(x: SSAValue, order: Sequence[int]) -> SSAValue:
    """Twice a permutation: strided reads of a map."""
    shape = shape_of(x)
    reads = [build.dims_map(len(shape), [order.index(i) for i in range(len(shape))])]
    out = [shape[axis] for axis in order]
    return build.elementwise([x], out, f32, lambda v: add(v, v), reads)


def map_samples() -> list[Sample]:
    return [
        pointwise("vectors", [(4, 64), (4, 64)], unroll=4, parallel=128),
        pointwise("tail", [(1027,), (1027,)], unroll=2, parallel=128),
        pointwise("short_tail", [(7,), (7,)], unroll=1, parallel=512),
        pointwise("row", [(3, 5, 12), (12,)], vector=4, unroll=1),
        pointwise("column", [(9, 20), (9, 1)], vector=2, unroll=2),
        pointwise("middle", [(3, 5, 6), (3, 1, 6)], vector=4, unroll=1),
        pointwise("primes", [(7, 13), (13,)], vector=4, unroll=4, parallel=128),
        pointwise("scalar", [(33,), (1,)], vector=1, unroll=2, parallel=256),
        pointwise("one", [(1, 1), (1,)]),
        sample("transposed", [(8, 12)], lambda x: doubled(x, (1, 0))),
        sample("rolled", [(2, 3, 5)], lambda x: doubled(x, (2, 0, 1))),
        sample("of_one", [(3, 61)], functions_of_one, vector=1, unroll=2),
        sample("of_two", [(3, 60), (60,)], functions_of_two, vector=4, unroll=1),
        sample("two_results", [(6, 10), (6, 10)], two_results, unroll=1),
        sample("filled", [], lambda: build.filled((5, 8), f32, 2.5)),
    ]


def softmax(name: str, shape: Sequence[int], **schedule: Entry) -> Sample:
    op = op_class("mbc.softmax")
    return sample(
        name,
        [shape],
        lambda x: op.of([x], axis=len(shape) - 1, log=False).results[0],
        **schedule,
    )


def layer_norm(name: str, rows: int, length: int, **schedule: Entry) -> Sample:
    op = op_class("mbc.layer_norm")
    return sample(
        name,
        [(rows, length), (length,), (length,)],
        lambda x, g, b: op.of([x, g, b], axes=1, eps=1e-5).results[0],
        **schedule,
    )


def row_and_per_row_results(x: SSAValue, y: SSAValue) -> Sequence[SSAValue]:
    """exp(x - max), the maximum, and a value per row that needs no reduction."""
    rows, length = shape_of(x)
    top = ReduceOp.over(x, "max", (1,)).results[0]
    maps = [build.identity_map(2), build.dims_map(2, [0])]

    def shifted(p: SSAValue, q: SSAValue) -> SSAValue:
        return math.ExpOp(subtract(p, q)).result

    e = build.elementwise([x, top], (rows, length), f32, shifted, maps)
    doubled = build.elementwise([y], (rows,), f32, lambda p: add(p, p))
    scaled = build.elementwise([e, doubled], (rows, length), f32, multiply, maps)
    return scaled, ReduceOp.over(scaled, "sum", (1,)).results[0], doubled


def rowwise_samples() -> list[Sample]:
    registers = [
        softmax(f"softmax{threads}", (3, 4 * threads), parallel=threads)
        for threads in (8, 16, 32, 64, 128, 256)
    ]
    return [
        *registers,
        softmax("softmax512", (1, 2052), parallel=512),
        softmax("softmax1024", (1, 4100), parallel=1024),
        softmax("tail", (5, 37), parallel=32),
        softmax("prime_rows", (7, 13), parallel=8, vector=1),
        softmax("streamed", (2, 613), parallel=8),
        softmax("streamed_vectors", (2, 3, 1028), parallel=8),
        softmax("length_one", (4, 1)),
        softmax("one_row", (1, 18), parallel=16),
        layer_norm("norm_rows", 5, 96, parallel=32),
        layer_norm("norm_pairs", 3, 70, parallel=8),
        layer_norm("norm_streamed", 2, 1100, parallel=8),
        layer_norm("norm_prime", 2, 101, parallel=64),
        sample("results", [(5, 24), (5,)], row_and_per_row_results, parallel=16),
        sample("results_long", [(3, 640), (3,)], row_and_per_row_results, parallel=8),
    ]


def reduction(
    name: str,
    shape: Sequence[int],
    kind: str,
    axes: Sequence[int],
    **schedule: Entry,
) -> Sample:
    return sample(
        name,
        [shape],
        lambda x: ReduceOp.over(x, kind, axes, len(axes) == 2).results[0],
        **schedule,
    )


def mean_of_squares(x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
    """relu(mean((x - y)^2) + z), reduced over the first axis."""

    def square(p: SSAValue, q: SSAValue) -> SSAValue:
        d = subtract(p, q)
        return multiply(d, d)

    shape = shape_of(x)
    squares = build.elementwise([x, y], shape, f32, square)
    mean = ReduceOp.over(squares, "mean", (0,)).results[0]
    return build.elementwise([mean, z], shape[1:], f32, relu_of_sum)


def loss(x: SSAValue, y: SSAValue) -> SSAValue:
    """The sum of products over everything."""
    shape = shape_of(x)
    product = build.elementwise([x, y], shape, f32, multiply)
    return ReduceOp.over(product, "sum", tuple(range(len(shape)))).results[0]


def reduce_samples() -> list[Sample]:
    return [
        reduction("row_sum", (5, 64), "sum", (1,), parallel=16),
        reduction("row_max", (3, 37), "max", (1,), parallel=32),
        reduction("row_min", (2, 1000), "min", (1,), parallel=64),
        reduction("row_prod", (4, 9), "prod", (1,), parallel=8),
        reduction("row_wide", (2, 1028), "mean", (1,), parallel=256, vector=4),
        reduction("row_narrow", (2, 1028), "mean", (1,), parallel=128, vector=1),
        reduction("everything", (6, 50), "mean", (0, 1), parallel=512),
        reduction("parts", (20000,), "sum", (0,), parallel=64),
        reduction("row_parts", (3, 5001), "max", (1,), parallel=32),
        reduction("nothing", (1, 7), "sum", (0,)),
        reduction("columns", (9, 20), "sum", (0,), parallel=128),
        reduction("column_max", (2, 5, 7), "max", (1,), parallel=64),
        reduction("column_pairs", (2, 33, 10), "mean", (1,), parallel=32),
        reduction("column_blocks", (3, 200), "min", (0,), parallel=8, vector=1),
        reduction("column_parts", (700, 12), "mean", (0,), parallel=32),
        reduction("column_prod", (3, 4, 6), "prod", (1,), parallel=1024),
        sample("loss", [(8, 33), (8, 33)], loss),
        sample("squares", [(40, 24), (40, 24), (24,)], mean_of_squares, parallel=64),
        sample("squares_of", [(500, 6), (500, 6), (6,)], mean_of_squares, parallel=32),
    ]


def product(
    name: str, equation: str, *shapes: Sequence[int], **schedule: Entry
) -> Sample:
    return product_of(f32, name, equation, *shapes, **schedule)


def product_of(
    element: Attribute,
    name: str,
    equation: str,
    /,
    *shapes: Sequence[int],
    **schedule: Entry,
) -> Sample:
    def body(x: SSAValue, y: SSAValue) -> SSAValue:
        return ContractOp.einsum(equation, x, y).results[0]

    return sample_of(element, name, shapes, body, schedule)


def linear(x: SSAValue, w: SSAValue, bias: SSAValue) -> SSAValue:
    value = ContractOp.einsum("mk,nk->mn", x, w).results[0]
    element = element_of(value)
    return build.elementwise([value, bias], shape_of(value), element, relu_of_sum)


def residual(x: SSAValue, w: SSAValue, base: SSAValue, scale: SSAValue) -> SSAValue:
    value = ContractOp.einsum("bmk,bkn->bmn", x, w).results[0]
    shape = shape_of(value)

    def body(p: SSAValue, q: SSAValue, s: SSAValue) -> SSAValue:
        return add(multiply(p, s), q)

    return build.elementwise([value, base, scale], shape, f32, body)


def contract_samples() -> list[Sample]:
    small = {"tile": (32, 32, 16), "parallel": (8, 8), "matrix": 0}
    return [
        product("plain", "mk,kn->mn", (40, 24), (24, 36), **small),
        product("both_transposed", "km,nk->mn", (20, 33), (35, 20), **small),
        product("flipped", "mk,nk->nm", (12, 20), (16, 20), **small),
        product("primes", "mk,kn->mn", (37, 13), (13, 41), **small),
        product("ones", "mk,kn->mn", (1, 1), (1, 1), **small),
        product("outer", "mk,kn->mn", (33, 1), (1, 34), **small),
        product("vector", "mk,k->m", (70, 45), (45,)),
        product("dot", "k,k->", (50,), (50,)),
        product("batched", "bhqd,bhkd->bhqk", (2, 3, 9, 8), (2, 3, 7, 8), **small),
        product(
            "big",
            "mk,kn->mn",
            (130, 20),
            (20, 132),
            tile=(128, 128, 16),
            parallel=(16, 16),
            matrix=0,
        ),
        product(
            "tall",
            "mk,kn->mn",
            (130, 20),
            (20, 70),
            tile=(128, 64, 16),
            parallel=(16, 16),
            matrix=0,
        ),
        product(
            "scalar",
            "mk,kn->mn",
            (66, 18),
            (18, 68),
            tile=(64, 64, 16),
            parallel=(8, 16),
            matrix=0,
            vector=1,
        ),
        product("flat", "mk,nk->mn", (3, 40), (140, 40)),
        product("one_stage", "mk,kn->mn", (37, 53), (53, 41), **small, stages=1),
        product("one_flat", "mk,nk->mn", (3, 300), (140, 300), stages=1, split=2),
        product(
            "shared",
            "mk,kn->mn",
            (65, 33),
            (33, 64),
            tile=(64, 64, 16),
            parallel=(16, 8),
            matrix=0,
        ),
        sample("linear", [(28, 64), (40, 64), (40,)], linear, **small),
        sample("linear_odd", [(28, 6), (39, 6), (39,)], linear, **small),
        sample("residual", [(2, 9, 8), (2, 8, 12), (2, 9, 12), (1,)], residual),
        *split_samples(),
        *matrix_samples(),
        *short_samples(),
    ]


def matrix_samples() -> list[Sample]:
    """By the matrix unit: edges, every order of operands, every tile and stage."""
    small = {"tile": (32, 32, 16), "parallel": (8, 8), "matrix": 3}
    square = {"tile": (64, 64, 16), "parallel": (8, 16), "matrix": 3}
    return [
        product("unit", "mk,kn->mn", (40, 24), (24, 36), **small),
        product("unit_primes", "mk,kn->mn", (37, 13), (13, 41), **small, stages=2),
        product("unit_turned", "km,nk->mn", (20, 33), (35, 20), **small, split=1),
        product("unit_flipped", "mk,nk->nm", (20, 70), (24, 70), **small, vector=1),
        product("unit_batch", "bhqd,bhkd->bhqk", (2, 2, 33, 8), (2, 2, 17, 8), **small),
        product("unit_square", "mk,nk->mn", (65, 40), (70, 40), **square, stages=3),
        product("unit_columns", "km,kn->mn", (33, 66), (33, 64), **square),
        product(
            "unit_tall",
            "mk,kn->mn",
            (130, 34),
            (34, 66),
            tile=(128, 64, 16),
            parallel=(8, 16),
            matrix=3,
        ),
        product(
            "unit_large",
            "mk,kn->mn",
            (129, 36),
            (36, 132),
            tile=(128, 128, 16),
            parallel=(16, 16),
            matrix=3,
        ),
        product("unit_halves", "mk,kn->mn", (17, 300), (300, 17), **small, split=2),
        sample("unit_linear", [(28, 64), (40, 64), (40,)], linear, **small),
        sample("unit_linear_odd", [(28, 6), (39, 6), (39,)], linear, **small),
        sample("unit_biased", [(28, 640), (40, 640), (40,)], linear, **small, split=4),
        sample(
            "unit_residual",
            [(2, 19, 8), (2, 8, 16), (2, 19, 16), (1,)],
            residual,
            **small,
        ),
    ]


def short_samples() -> list[Sample]:
    """16-bit floats, which only the matrix unit has templates for."""
    return [s for name in ("f16", "bf16") for s in _short_samples(name)]


def _short_samples(name: str) -> list[Sample]:
    small = {"tile": (32, 32, 32), "parallel": (8, 8)}
    square = {"tile": (64, 64, 32), "parallel": (8, 16)}
    large = {"tile": (128, 128, 32), "parallel": (8, 16)}
    tall = {"tile": (128, 64, 32), "parallel": (8, 16)}
    e = element_type(name)
    return [
        product_of(e, f"{name}_plain", "mk,kn->mn", (40, 24), (24, 40), **small),
        product_of(e, f"{name}_odd", "mk,kn->mn", (37, 35), (35, 21), **small),
        product_of(e, f"{name}_pairs", "mk,nk->mn", (33, 70), (18, 70), **small),
        product_of(e, f"{name}_one", "km,nk->mn", (9, 40), (24, 9), vector=1),
        product_of(e, f"{name}_down", "km,kn->mn", (34, 72), (34, 64), **square),
        product_of(e, f"{name}_tall", "mk,nk->nm", (66, 40), (130, 40), **tall),
        product_of(
            e,
            f"{name}_large",
            "mk,kn->mn",
            (129, 72),
            (72, 136),
            stages=3,
            **large,
        ),
        product_of(
            e,
            f"{name}_parts",
            "bmk,bkn->bmn",
            (2, 17, 512),
            (2, 512, 18),
            split=4,
            **small,
        ),
        sample_of(e, f"{name}_bias", [(28, 64), (40, 64), (40,)], linear, small),
        sample_of(e, f"{name}_odder", [(28, 6), (39, 6), (39,)], linear, small),
    ]


def split_samples() -> list[Sample]:
    """Parts of k: ragged ones, empty ones, and as many as a long sum has."""
    small = {"tile": (32, 32, 16), "parallel": (8, 8), "matrix": 0}
    return [
        product("halves", "mk,kn->mn", (5, 300), (300, 7), **small, split=2),
        product("aligned", "mk,kn->mn", (36, 512), (512, 40), **small, split=4),
        product("turned", "mk,nk->nm", (12, 520), (16, 520), **small, split=4),
        product("batch", "bmk,bkn->bmn", (3, 5, 263), (3, 263, 9), split=8, **small),
        product("short", "mk,kn->mn", (5, 257), (257, 8), **small, split=32),
        product("long", "k,k->", (4201,), (4201,), split=16),
        product("rows", "mk,k->m", (9, 5000), (5000,), split=32),
        product("unsplit", "mk,k->m", (9, 4500), (4500,), split=1),
        sample("biased", [(28, 640), (40, 640), (40,)], linear, **small, split=4),
        sample("biased_odd", [(28, 260), (39, 260), (39,)], linear, **small, split=2),
        sample("both", [(3, 257, 257), (257, 257)], shared_operand, split=2, **small),
    ]


def shared_operand(x: SSAValue, w: SSAValue) -> SSAValue:
    """The contraction and its epilogue read the same tensor."""
    value = ContractOp.einsum("bmk,kn->bmn", x, w).results[0]
    return build.elementwise([value, x], shape_of(value), f32, add)


def whole(x: SSAValue) -> SSAValue:
    """No templates say conversions to integers in vectors."""

    def body(p: SSAValue) -> SSAValue:
        return arith.SIToFPOp(arith.FPToSIOp(p, i32).result, f32).result

    return build.elementwise([x], shape_of(x), f32, body)


def element_samples() -> list[Sample]:
    return [
        sample(f"whole{threads}", [(7, 45)], whole, parallel=threads, unroll=unroll)
        for threads, unroll in ((128, 1), (256, 4), (512, 2))
    ]


def crossed(x: SSAValue) -> SSAValue:
    """The sum of row j is added to column j: no family walks both."""
    total = ReduceOp.over(x, "sum", (1,), keepdims=False).result
    maps = [build.identity_map(2), build.dims_map(2, [1])]
    return build.elementwise([x, total], shape_of(x), f32, add, maps)


def nest_samples() -> list[Sample]:
    return [
        sample(f"crossed{threads}", [(45, 45)], crossed, parallel=threads)
        for threads in (64, 128, 256)
    ]


FAMILIES = {
    "map": map_samples,
    "rowwise": rowwise_samples,
    "reduce": reduce_samples,
    "contract": contract_samples,
    "pointwise": element_samples,
    "nest": nest_samples,
}


def wide_samples() -> list[Sample]:
    """Buffers that need 64-bit indices; too large to run here."""
    rows, length = 1 << 20, 4096
    return [
        pointwise("wide_map", [(rows, length), (length,)], unroll=4),
        softmax("wide_softmax", (rows, length)),
        softmax("wide_short", (rows * 256, 16)),
        reduction("wide_rows", (rows, length), "sum", (1,)),
        reduction("wide_columns", (rows, length), "mean", (0,)),
        reduction("wide_all", (rows * length,), "max", (0,)),
        product("wide_product", "mk,kn->mn", (rows, 8), (8, length)),
    ]
