"""Kernels for which a wrong candidate looks like a right one are named."""

import pytest

from mbc.runtime.gates.cases import draw_cases
from mbc.runtime.gates.discrimination import ignored_operands, non_discriminating
from tests.runtime.gates.kernels import FAMILIES, candidate


@pytest.mark.parametrize("name", FAMILIES)
def test_null_candidates_fail_on_honest_kernels(name: str):
    cases = draw_cases(candidate(name, "rvv")).cases
    assert non_discriminating(cases) == ()
    assert ignored_operands(cases) == ()


def test_a_copy_is_named():
    cases = draw_cases(candidate("copy", "rvv")).cases
    assert non_discriminating(cases) == ("non-discriminating: identity",)


def test_no_elements_are_named():
    assert non_discriminating(()) == ("non-discriminating: empty",)


def test_an_operand_that_does_not_matter_is_found():
    assert ignored_operands(draw_cases(candidate("ignoring", "rvv")).cases) == (1,)
