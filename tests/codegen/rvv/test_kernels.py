"""Every RVV family at odd extents and every knob value, against float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, maximum, minimum, multiply, subtract
from mbc.ir.ops import op_class
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.types import shape_of
from mbc.runtime.outcome import Completed
from mbc.runtime.rvv.runner import RvvRunner
from tests.codegen.functions import functions_of_one, functions_of_two
from tests.codegen.rvv.programs import (
    Case,
    check,
    emit,
    operands,
    program_of,
)

Scalar = Callable[..., SSAValue]


def pointwise(body: Scalar) -> Callable[..., SSAValue]:
    """`body` over the broadcast of all operands; the first has the full shape."""

    def built(*values: SSAValue) -> SSAValue:
        return build.elementwise(values, shape_of(values[0]), f32, body)

    return built


def relu(x: SSAValue) -> SSAValue:
    return maximum(x, constant(0.0, x.type))


def compare(predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.CmpfOp(a, b, predicate).result


def select(mask: SSAValue, yes: SSAValue, no: SSAValue) -> SSAValue:
    return arith.SelectOp(mask, yes, no).result


def hard_swish(x: SSAValue) -> SSAValue:
    shifted = add(x, constant(3.0, x.type))
    clamped = minimum(maximum(shifted, constant(0.0, x.type)), constant(6.0, x.type))
    return multiply(x, multiply(clamped, constant(1 / 6, x.type)))


def gelu(x: SSAValue) -> SSAValue:
    inner = math.ErfOp(multiply(x, constant(0.70710678, x.type))).result
    half = multiply(x, constant(0.5, x.type))
    return multiply(half, add(inner, constant(1.0, x.type)))


def sigmoid(x: SSAValue) -> SSAValue:
    e = math.ExpOp(arith.NegfOp(x).result).result
    return arith.DivfOp(constant(1.0, x.type), add(e, constant(1.0, x.type))).result


def masked(x: SSAValue, y: SSAValue, s: SSAValue) -> SSAValue:
    """Comparisons of all shapes, logic on their masks, and a select of a scalar."""
    either = arith.OrIOp(compare("olt", x, y), compare("oge", s, x)).result
    both = arith.AndIOp(either, compare("une", y, constant(0.5, x.type))).result
    odd = arith.XOrIOp(both, compare("ugt", s, constant(0.1, x.type))).result
    return select(odd, subtract(s, x), select(both, s, y))


def scaled_shift(x: SSAValue, scale: SSAValue, shift: SSAValue) -> SSAValue:
    return relu(add(multiply(x, scale), shift))


def two_results(x: SSAValue, y: SSAValue) -> Sequence[SSAValue]:
    shape = shape_of(x)
    empty = [build.empty(shape, f32) for _ in range(2)]
    maps = [build.identity_map(len(shape))] * 4
    return build.generic(
        [x, y],
        empty,
        maps,
        ["parallel"] * len(shape),
        lambda a, b, *_: [add(a, b), subtract(multiply(a, b), b)],
    )


def transposed(x: SSAValue) -> SSAValue:
    """Twice the transpose: strided reads of a map."""
    rows, columns = shape_of(x)
    reads = [build.dims_map(2, [1, 0])]
    return build.elementwise([x], (columns, rows), f32, lambda v: add(v, v), reads)


def one_op(name: str) -> Scalar:
    kinds = {
        "sqrt": math.SqrtOp,
        "rsqrt": math.RsqrtOp,
        "log": math.LogOp,
        "log1p": math.Log1pOp,
        "expm1": math.ExpM1Op,
        "tanh": math.TanhOp,
        "floor": math.FloorOp,
        "ceil": math.CeilOp,
        "absf": math.AbsFOp,
    }
    return lambda x: kinds[name](x).result


SOME = [
    {"vector": 1, "unroll": 1},
    {"vector": 2, "unroll": 2},
    {"vector": 4, "unroll": 4},
    {"vector": 8, "unroll": 1},
]


def map_cases() -> list[Case]:
    def case(name: str, shapes: list[tuple[int, ...]], body: Scalar, i: int) -> Case:
        return Case(name, "map", shapes, pointwise(body), SOME[i % 4])

    grid = [(5, 7, 37), (37,), (1,)]
    cases = [
        case("bias", [(5, 7, 37), (37,)], add, 0),
        case("per row", [(6, 131), (6, 1)], multiply, 1),
        case("masked", grid, masked, 1),
        case("masked, m8", grid, masked, 3),
        case("maximum", [(41,), (41,)], maximum, 0),
        case("minimum of a scalar", [(41,), (1,)], minimum, 2),
        case("single", [(1, 1), (1,)], add, 0),
        case("hard swish", [(3, 149)], hard_swish, 2),
        case("gelu", [(149,)], gelu, 0),
        case("sigmoid", [(149,)], sigmoid, 1),
        case("scale", [(2, 64, 3), (1, 64, 1), (64, 3)], scaled_shift, 2),
        Case("of one", "map", [(3, 61)], functions_of_one, SOME[2]),
        Case("of two", "map", [(3, 61), (61,)], functions_of_two, SOME[3]),
        Case("of two, m2", "map", [(3, 61), (3, 1)], functions_of_two, SOME[1]),
        Case("two results", "map", [(3, 17), (3, 17)], two_results, SOME[1]),
        Case("transposed", "map", [(17, 23)], transposed, SOME[2]),
    ]
    for i, name in enumerate(("sqrt", "rsqrt", "log", "log1p", "absf")):
        build_one = pointwise(one_op(name))
        cases.append(Case(name, "map", [(97,)], build_one, SOME[i % 4], low=0.1))
    for i, name in enumerate(("expm1", "tanh", "floor", "ceil")):
        cases.append(case(name, [(97,)], one_op(name), i))
    return cases


def softmax(x: SSAValue, log: bool = False) -> SSAValue:
    axis = len(shape_of(x)) - 1
    return op_class("mbc.softmax").of([x], axis=axis, log=log).result


def log_softmax(x: SSAValue) -> SSAValue:
    return softmax(x, log=True)


def layer_norm(x: SSAValue, scale: SSAValue, shift: SSAValue) -> SSAValue:
    op = op_class("mbc.layer_norm")
    return op.of([x, scale, shift], axes=len(shape_of(scale)), eps=1e-5).result


def reduced(
    kind: str, axes: tuple[int, ...], keep: bool = False
) -> Callable[..., SSAValue]:
    op = op_class("mbc.reduce")
    return lambda x: op.of([x], kind=kind, axes=axes, keepdims=keep).result


def spread(x: SSAValue) -> SSAValue:
    """Largest minus smallest: extrema that no sum covers."""
    ends = [reduced(kind, (1,), True)(x) for kind in ("max", "min")]
    shape = (shape_of(x)[0], 1)
    return build.elementwise(ends, shape, f32, subtract)


def spread_of_two(x: SSAValue) -> SSAValue:
    ends = [reduced(kind, (2,), True)(x) for kind in ("max", "min")]
    return build.elementwise(ends, (*shape_of(x)[:2], 1), f32, subtract)


def scaled_softmax(x: SSAValue, by_row: SSAValue, by_column: SSAValue) -> SSAValue:
    """An operand that is the same along a row, one that is the same for all rows."""

    def body(v: SSAValue, r: SSAValue, c: SSAValue) -> SSAValue:
        return add(multiply(v, r), c)

    return softmax(build.elementwise([x, by_row, by_column], shape_of(x), f32, body))


def shifted_squares(x: SSAValue) -> SSAValue:
    """A product that is summed, and one that a sum of its row is added to."""
    shape = shape_of(x)
    squares = build.elementwise([x], shape, f32, lambda v: multiply(v, v))
    total = reduced("sum", (1,), True)(squares)
    return build.elementwise([squares, total], shape, f32, add)


def confidence(x: SSAValue) -> SSAValue:
    """The largest probability: exponentials are kept in scratch."""
    return reduced("max", (1,))(softmax(x))


def rowwise_cases() -> list[Case]:
    cases: list[Case] = []
    for i, schedule in enumerate([*SOME[:2], {"vector": 4, "unroll": 2}, SOME[3]]):
        width = (1, 13, 64, 139)[i]
        cases += [
            Case("softmax", "rowwise", [(3, width)], softmax, schedule, -9, 9),
            Case("log softmax", "rowwise", [(3, 77)], log_softmax, schedule, -9, 9),
            Case("spread", "rowwise", [(3, 45)], spread, schedule),
            Case("confidence", "rowwise", [(3, 75)], confidence, schedule),
            Case(
                "layer norm",
                "rowwise",
                [(2, 3, 53), (53,), (53,)],
                layer_norm,
                schedule,
            ),
        ]
    for schedule in ({"vector": 4, "unroll": 4}, {"vector": 1, "unroll": 4}):
        cases += [
            Case(name, "rowwise", shapes, built, schedule, -9, 9)
            for name, shapes, built in (
                ("softmax, rows", [(7, 139)], softmax),
                ("softmax, few rows", [(3, 13)], softmax),
                ("softmax, one column", [(9, 1)], softmax),
                ("confidence, rows", [(6, 75)], confidence),
                ("spread, rows", [(2, 5, 45)], spread_of_two),
                ("log softmax, rows", [(2, 5, 37)], log_softmax),
                ("layer norm, rows", [(2, 7, 53), (53,), (53,)], layer_norm),
                ("layer norm, one column", [(6, 1), (1,), (1,)], layer_norm),
                ("shifted squares", [(5, 43)], shifted_squares),
                ("masked rows", [(9, 41), (9, 1), (41,)], scaled_softmax),
            )
        ]
    wide = [(2, 3, 5, 7), (5, 7), (5, 7)]
    cases.append(Case("two axes", "rowwise", wide, layer_norm, SOME[0]))
    return cases


def normalized_sum(x: SSAValue, s: SSAValue) -> SSAValue:
    """A prologue of squares, a sum of rows and an epilogue with an operand."""
    squares = pointwise(lambda v: multiply(v, v))(x)
    total = reduced("sum", (1,))(squares)

    def root(t: SSAValue, v: SSAValue) -> SSAValue:
        return multiply(math.SqrtOp(t).result, v)

    return build.elementwise([total, s], shape_of(total), f32, root)


def reduce_cases() -> list[Case]:
    cases: list[Case] = []
    for i, kind in enumerate(("sum", "mean", "max", "min", "prod")):
        low, high = (0.8, 1.2) if kind == "prod" else (-2.0, 2.0)
        one, all_axes = reduced(kind, (1,)), reduced(kind, (0, 1, 2))
        rows = {"vector": 2, "unroll": 4}
        for schedule in (SOME[i % 4], {"vector": 4, "unroll": 2}, rows):
            cases += [
                Case(f"{kind} {name}", "reduce", [shape], built, schedule, low, high)
                for name, shape, built in (
                    ("of rows", (7, 61), one),
                    ("of columns", (3, 7, 71), one),
                    ("of all", (3, 7, 11), all_axes),
                )
            ]
    for shapes in ([(4, 33), (4,)], [(3, 5, 37), (3, 37)], [(3, 5, 37), (1, 37)]):
        cases.append(
            Case("normalized", "reduce", shapes, normalized_sum, SOME[1], 0.1, 2)
        )
    keep = reduced("max", (2,), True)
    cases.append(Case("keep", "reduce", [(2, 3, 17)], keep, SOME[0]))
    return cases


def product(equation: str) -> Callable[..., SSAValue]:
    return lambda a, b: ContractOp.einsum(equation, a, b).result


def packed(size: int, equation: str = "mk,nk->mn") -> Callable[..., SSAValue]:
    def built(a: SSAValue, panels: SSAValue) -> SSAValue:
        whole = UnpackOp.of([panels], axis=0, size=size).result
        return ContractOp.einsum(equation, a, whole).result

    return built


def with_epilogue(a: SSAValue, b: SSAValue, *extra: SSAValue) -> SSAValue:
    """relu(a b + column bias) * per row + full matrix."""
    total = ContractOp.einsum("mk,kn->mn", a, b).result

    def body(t: SSAValue, bias: SSAValue, row: SSAValue, full: SSAValue) -> SSAValue:
        return add(multiply(relu(add(t, bias)), row), full)

    return build.elementwise([total, *extra], shape_of(total), f32, body)


def contract_cases() -> list[Case]:
    matrix, cases = product("mk,kn->mn"), list[Case]()

    def case(
        name: str,
        shapes: list[tuple[int, ...]],
        built: Callable[..., SSAValue],
        tile: int,
        vector: int,
        unroll: int,
    ) -> None:
        schedule = {"tile": (tile,), "vector": vector, "unroll": unroll}
        cases.append(Case(name, "contract", shapes, built, schedule))

    for tile, vector, unroll in ((7, 4, 1), (4, 2, 4), (6, 4, 2), (3, 8, 1)):
        case("matrix", [(17, 13), (13, 41)], matrix, tile, vector, unroll)
    for tile, vector, unroll in ((14, 1, 1), (2, 8, 2), (5, 4, 2), (1, 4, 4)):
        case("matrix", [(29, 8), (8, 33)], matrix, tile, vector, unroll)
    case("one row", [(1, 19), (19, 67)], matrix, 1, 4, 2)
    case("one column", [(23, 19), (19, 1)], matrix, 4, 4, 2)
    case("one of all", [(1, 1), (1, 1)], matrix, 1, 4, 1)
    case("vector", [(23, 19), (19,)], product("mk,k->m"), 1, 2, 2)
    case("dot", [(19,), (19,)], product("k,k->"), 1, 2, 2)
    case("rows of rhs", [(9, 11), (13, 11)], product("mk,nk->mn"), 4, 4, 2)
    case("columns of lhs", [(11, 9), (11, 13)], product("km,kn->mn"), 4, 2, 2)
    case("result turned", [(9, 11), (11, 13)], product("mk,kn->nm"), 2, 4, 1)
    case("batch", [(2, 3, 5, 7), (2, 3, 7, 9)], product("bhmk,bhkn->bhmn"), 2, 4, 2)
    case("attention", [(2, 5, 7), (2, 9, 7)], product("bmk,bnk->bmn"), 4, 4, 1)
    for vector in (1, 4, 8):
        case("packed", [(7, 10), (3, 10, 32)], packed(70), 2, vector, 1)
        case("narrow panels", [(7, 9), (9, 9, 8)], packed(67), 3, vector, 2)
    extra = [(41,), (9, 1), (9, 41)]
    case("epilogue", [(9, 11), (11, 41), *extra], with_epilogue, 4, 4, 2)
    extra = [(1,), (1, 1), (1, 41)]
    case("epilogue of scalars", [(9, 5), (5, 41), *extra], with_epilogue, 6, 2, 1)
    return cases


@pytest.mark.parametrize(
    "cases",
    [map_cases, rowwise_cases, reduce_cases, contract_cases],
    ids=["map", "rowwise", "reduce", "contract"],
)
def test_family(runner: RvvRunner, cases: Callable[[], list[Case]]) -> None:
    checked = check(cases(), runner)
    wrong = {f"k{i} {c.case.name}": c.error for i, c in enumerate(checked)}
    assert {name: e for name, e in wrong.items() if not e < 1e-5} == {}


def test_not_a_number(runner: RvvRunner) -> None:
    """NaN reaches what depends on it, and only that; -inf alone gives NaN."""
    schedule = {"vector": 2, "unroll": 2}
    cases = [
        Case("softmax", "rowwise", [(4, 37)], softmax, schedule),
        Case("spread", "rowwise", [(4, 37)], spread, schedule),
        Case("max", "reduce", [(4, 37)], reduced("max", (1,)), schedule),
        Case("min of columns", "reduce", [(37, 4)], reduced("min", (0,)), schedule),
        Case("relu", "map", [(4, 37)], pointwise(relu), schedule),
        Case("maximum", "map", [(4, 37), (37,)], pointwise(maximum), schedule),
    ]
    inputs: dict[str, np.ndarray] = {}
    for i, case in enumerate(cases):
        for j, array in enumerate(operands(case, i)):
            inputs[f"k{i}_a{j}"] = array
    for name in ("k0_a0", "k1_a0", "k2_a0", "k4_a0", "k5_a0"):
        inputs[name][1, 5] = np.nan
        inputs[name][2, 36] = -np.inf
    inputs["k0_a0"][3] = -np.inf
    inputs["k3_a0"][6, 1] = -np.nan
    inputs["k5_a1"][3] = np.nan
    program = program_of([emit(f"k{i}", case)[1] for i, case in enumerate(cases)])
    outcome = runner.run(program, inputs)
    assert isinstance(outcome, Completed), outcome
    found = [np.isnan(outcome.outputs[f"k{i}_r0"]) for i in range(len(cases))]
    assert found[0].all(axis=1).tolist() == [False, True, False, True]
    assert found[0].any(axis=1).tolist() == [False, True, False, True]
    assert found[1].ravel().tolist() == [False, True, False, False]
    assert found[2].tolist() == [False, True, False, False]
    assert found[3].tolist() == [False, True, False, False]
    assert np.argwhere(found[4]).tolist() == [[1, 5]]
    assert found[5][:, 3].all()
    assert found[5].sum() == 5
