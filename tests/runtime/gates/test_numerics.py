"""Classes of accuracy are what was measured, whatever instruction computed it."""

import ml_dtypes
import numpy as np
import pytest

from mbc.errors import InvalidInput
from mbc.ir.types import Array
from mbc.runtime.gates.cases import Case, draw_cases
from mbc.runtime.gates.numerics import STRICT, parse_numerics, worst_error
from tests.runtime.gates.kernels import candidate


def products(case: Case, dtype: type) -> tuple[Case, list[Array]]:
    a, b = (array.astype(dtype).astype(np.float32) for array in case.arguments)
    return case, [np.add.accumulate(a[:, None] * b[None], -1, np.float32)[..., -1]]


def contractions() -> list[Case]:
    drawn = draw_cases(candidate("contract", "rvv")).cases
    return [case for case in drawn if case.profile == "normal" and case.elements]


def test_sums_in_one_accumulator_are_strict():
    worst = worst_error([products(c, np.float32) for c in contractions()], STRICT)
    assert worst is not None
    assert worst.share < 1


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_products_are_refused_by_their_error(dtype: type):
    pairs = [products(c, dtype) for c in contractions()]
    worst = worst_error(pairs, STRICT)
    assert worst is not None
    assert worst.share > 20
    relaxed = worst_error(pairs, parse_numerics("relaxed(2e-2)"))
    assert relaxed is not None
    assert relaxed.share < 1


@pytest.mark.parametrize("name", ["strict", "fast", "bit_exact", "relaxed(0.001)"])
def test_classes_read_back(name: str):
    assert str(parse_numerics(name)) == name


@pytest.mark.parametrize("name", ["", "exact", "relaxed", "relaxed(0)", "relaxed(x)"])
def test_what_is_no_class_is_refused(name: str):
    with pytest.raises(InvalidInput, match="is no numerics class"):
        parse_numerics(name)
