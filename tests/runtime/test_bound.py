"""The bound lets right results through and stops the usual ways to be wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import SSAValue

from mbc.ir.arithmetic import add, multiply
from mbc.ir.execute import execute
from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import Array, tensor
from mbc.runtime.bound import (
    Agreement,
    Expected,
    Mismatch,
    Verdict,
    compare,
    expected_results,
    judged,
)
from tests.ir.samples import EPS, floats, module_of, named, random_arrays
from tests.passes.programs import exp, pointwise, tanh


@dataclass(frozen=True)
class Case:
    """A kernel with inputs, and what is expected of it."""

    module: ModuleOp
    arrays: Sequence[Array]
    expected: tuple[Expected, ...]

    def judge(self, *found: Array) -> Verdict:
        return compare(self.expected, found)

    def given(self) -> tuple[Array, ...]:
        """As f32 code computes it, in the reference's order."""
        return execute(self.module, self.arrays, "given")

    def of(self, *arrays: Array) -> tuple[Array, ...]:
        """The exact result for other inputs, rounded to f32 once."""
        exact = execute(self.module, arrays, "float64")
        return tuple(array.astype(np.float32) for array in exact)


def chain(x: SSAValue, y: SSAValue) -> SSAValue:
    return pointwise(lambda a, b: add(multiply(tanh(a), b), exp(a)), x, y)


MODULES: dict[str, Callable[[], ModuleOp]] = {
    "map": lambda: module_of(floats((16, 32), (32,)), chain),
    "contract": lambda: module_of(
        floats((8, 1000), (1000, 6)),
        lambda a, b: ContractOp.einsum("mk,kn->mn", a, b).result,
    ),
    "reduce": lambda: module_of(
        floats((8, 1000)),
        lambda x: named("reduce", x, kind="sum", axes=(1,), keepdims=False),
    ),
    "rowwise": lambda: module_of(
        floats((8, 100)), lambda x: named("softmax", x, axis=1, log=False)
    ),
    "norm": lambda: module_of(
        floats((8, 100), (100,), (100,)),
        lambda x, a, b: named("layer_norm", x, a, b, axes=1, eps=EPS),
    ),
}


@pytest.fixture(scope="module", params=MODULES)
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param)


def case_of(name: str) -> Case:
    module = MODULES[name]()
    (function,) = module.body.block.ops
    types = [arg.type for arg in function.regions[0].block.args]
    arrays = random_arrays(types, 3)
    return Case(module, arrays, expected_results(module, arrays))


def test_a_right_result_in_f32_passes(case: Case):
    verdict = case.judge(*case.given())
    assert isinstance(verdict, Agreement), verdict
    assert verdict.worst < 0.5
    assert verdict.checked == case.given()[0].size


def test_the_exact_result_rounded_once_passes(case: Case):
    assert isinstance(case.judge(*case.of(*case.arrays)), Agreement)


@pytest.mark.parametrize("name", ["contract", "reduce"])
def test_one_accumulator_for_all_terms_passes(name: str):
    """The worst order of additions that a right kernel has."""
    case = case_of(name)
    terms = case.arrays[0][:, :, None]
    if name == "contract":
        terms = terms * case.arrays[1][None]
    total = np.cumsum(terms, axis=1, dtype=np.float32)[:, -1]
    shape = case.expected[0].value.shape
    assert isinstance(case.judge(total.reshape(shape)), Agreement)


@pytest.mark.parametrize("name", ["contract", "reduce"])
def test_another_order_of_additions_passes(name: str):
    case = case_of(name)
    flipped = [case.arrays[0][:, ::-1], *(b[::-1] for b in case.arrays[1:])]
    found = execute(case.module, [np.ascontiguousarray(a) for a in flipped], "given")
    assert isinstance(case.judge(*found), Agreement)


def bfloat16(array: Array) -> Array:
    return array.astype(ml_dtypes.bfloat16).astype(np.float32)


def tf32(array: Array) -> Array:
    """Without the 13 lowest bits of the mantissa."""
    return (array.view(np.int32) & ~0x1FFF).view(np.float32)


def one_off(array: Array) -> Array:
    changed = array.copy()
    changed.flat[array.size // 2] += 0.01 * np.sqrt(np.mean(array**2))
    return changed


WRONG: dict[str, Callable[[Array], Array]] = {
    "zeros": np.zeros_like,
    "shuffled": lambda a: a.ravel()[::-1].reshape(a.shape),
    "shifted by one": lambda a: np.roll(a, 1),
    "one element off": one_off,
    "rounded to bfloat16": bfloat16,
    "truncated to tf32": tf32,
    "scaled": lambda a: a * np.float32(1.001),
    "negated": lambda a: -a,
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_result_fails(case: Case, fault: str):
    (right,) = case.given()
    assert isinstance(case.judge(WRONG[fault](right)), Mismatch)


@pytest.mark.parametrize("rounded", [bfloat16, tf32])
def test_inputs_of_lower_precision_fail(case: Case, rounded: Callable[[Array], Array]):
    found = case.of(*(rounded(array) for array in case.arrays))
    assert isinstance(case.judge(*found), Mismatch)


@pytest.mark.parametrize("name", ["contract", "reduce"])
def test_one_term_of_a_thousand_left_out_fails(name: str):
    case = case_of(name)
    short = case.arrays[0].copy()
    short[:, 999] = 0
    assert isinstance(case.judge(*case.of(short, *case.arrays[1:])), Mismatch)


def unlucky(case: Case) -> list[Expected]:
    """As if no draw had moved one element."""
    (want,) = case.expected
    bound = want.bound.copy()
    bound.flat[0] = 0
    return [Expected(want.value, bound, want.decided)]


def test_more_draws_are_made_before_one_element_is_wrong():
    case = case_of("contract")
    (right,) = case.given()
    expected = unlucky(case)
    assert isinstance(compare(expected, [right]), Mismatch)
    found = judged(case.module, case.arrays, expected, [right])
    assert isinstance(found, Agreement)
    wrong = right.copy()
    wrong.flat[0] *= 1.001
    found = judged(case.module, case.arrays, expected, [wrong])
    assert isinstance(found, Mismatch)
    assert found.index == (0, 0)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_a_special_value_in_place_of_a_number_fails(case: Case, special: float):
    (right,) = case.given()
    wrong = right.copy()
    wrong.flat[0] = special
    assert isinstance(case.judge(wrong), Mismatch)


def roots() -> Case:
    """NaN, an infinity, a zero and a number."""
    module = module_of(
        floats((4,)),
        lambda x: pointwise(lambda v: math_dialect.LogOp(v).result, x),
    )
    arrays = [np.array([-1, 0, 1, 2], np.float32)]
    return Case(module, arrays, expected_results(module, arrays))


def test_special_values_where_they_belong_pass():
    case = roots()
    (right,) = case.given()
    assert np.isnan(right[0])
    assert right[1] == -np.inf
    assert isinstance(case.judge(right), Agreement)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("value", [0.0, np.inf, 3e38])
def test_another_value_in_place_of_a_special_one_fails(place: int, value: float):
    case = roots()
    (wrong,) = case.given()
    wrong[place] = value
    assert isinstance(case.judge(wrong), Mismatch)


def test_nan_and_infinity_are_not_the_same():
    case = roots()
    (right,) = case.given()
    assert isinstance(case.judge(right[[1, 0, 2, 3]]), Mismatch)


def test_a_mismatch_names_the_worst_element():
    case = case_of("reduce")
    (wrong,) = case.given()
    wrong[3] += 5
    wrong[6] += 100
    verdict = case.judge(wrong)
    assert isinstance(verdict, Mismatch)
    assert verdict.index == (6,)
    assert (verdict.count, verdict.elements) == (2, 8)
    assert "result 0 at (6) is" in str(verdict)
    assert "2 of 8 elements are out of bounds" in str(verdict)


def integers() -> Case:
    module = module_of(
        [tensor((2, 8), i64)],
        lambda x: named("reduce", x, kind="sum", axes=(1,), keepdims=False),
    )
    arrays = [np.arange(16, dtype=np.int64).reshape(2, 8) + 2**60]
    return Case(module, arrays, expected_results(module, arrays))


def test_integers_are_exact():
    case = integers()
    (right,) = case.given()
    assert isinstance(case.judge(right), Agreement)
    assert isinstance(case.judge(right + 1), Mismatch)


def test_every_result_is_judged():
    def body(x: SSAValue):
        return pointwise(exp, x), pointwise(tanh, x)

    module = module_of(floats((3, 4)), body)
    arrays = random_arrays(floats((3, 4)))
    case = Case(module, arrays, expected_results(module, arrays))
    first, second = case.given()
    verdict = case.judge(first, second + 1)
    assert isinstance(verdict, Mismatch)
    assert verdict.result == 1


def near_ties() -> Case:
    """Rows whose two largest numbers are one ulp apart, and one row that is clear."""
    rows = np.zeros((65, 4), np.float32)
    rows[:, 1] = 1.0
    rows[:, 2] = np.nextafter(np.float32(1), np.float32(2))
    rows[64] = [0, 5, 1, 2]
    module = module_of(
        floats((65, 4)),
        lambda x: named("arg_reduce", x, kind="max", axis=1, keepdims=False),
    )
    return Case(module, [rows], expected_results(module, [rows]))


def test_an_index_that_one_ulp_decides_is_not_judged():
    case = near_ties()
    (right,) = case.given()
    (expected,) = case.expected
    assert expected.decided[64]
    assert np.count_nonzero(~expected.decided) > 16
    assert isinstance(case.judge(right), Agreement)
    assert isinstance(case.judge(np.where(expected.decided, right, 1)), Agreement)


def test_a_clear_index_is_judged():
    case = near_ties()
    (wrong,) = case.given()
    wrong[64] = 2
    verdict = case.judge(wrong)
    assert isinstance(verdict, Mismatch)
    assert verdict.index == (64,)


def test_the_same_case_has_the_same_bound():
    first, second = case_of("contract"), case_of("contract")
    np.testing.assert_array_equal(first.expected[0].bound, second.expected[0].bound)
