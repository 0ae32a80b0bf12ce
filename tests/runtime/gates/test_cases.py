"""Cases: deterministic, inside the predicate, unlike each other, defined."""

import numpy as np
import pytest

from mbc.errors import InvalidInput
from mbc.runtime.gates.cases import draw_cases
from mbc.runtime.gates.extents import kinds_of
from mbc.runtime.gates.predicate import parse_predicate
from mbc.runtime.gates.profiles import PROFILES
from tests.runtime.gates.kernels import FAMILIES, candidate, text


@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_seed_draws_the_same_cases(name: str):
    one, other = (draw_cases(candidate(name, "rvv"), 3) for _ in range(2))
    assert list(map(str, one.cases)) == list(map(str, other.cases))
    for a, b in zip(one.cases, other.cases, strict=True):
        assert all(map(np.array_equal, a.arguments, b.arguments, [True] * 2))
    assert one.extents != draw_cases(candidate(name, "rvv"), 4).extents


def test_cases_cover_kinds_of_extents_and_values():
    drawn = draw_cases(candidate("map", "rvv"))
    kinds = {k for case in drawn.cases for _, n in case.at.extents for k in kinds_of(n)}
    assert {"one", "prime", "aligned", "tail", "long"} <= kinds
    assert {case.profile for case in drawn.cases} == set(PROFILES)
    assert 0 in {n for e in draw_cases(candidate("nest", "rvv")).extents for _, n in e}


def test_extents_stay_inside_the_predicate():
    predicate = parse_predicate("N0 % 4 == 0, N0 <= 64")
    drawn = draw_cases(candidate("rowwise", "rvv"), 0, predicate)
    first = {dict(extents)["N0"] for extents in drawn.extents}
    assert len(first) > 1
    assert all(n % 4 == 0 and n <= 64 for n in first)


def test_a_predicate_that_nothing_satisfies_is_named():
    for where in ("N0 > 100000", "N0 == 5, N0 == 6"):
        drawn = draw_cases(candidate("map", "rvv"), 0, parse_predicate(where))
        assert drawn.problem.startswith("no extents satisfy the predicate N0")
    assert (
        "N7"
        in draw_cases(candidate("map", "rvv"), 0, parse_predicate("N7 == 1")).problem
    )


@pytest.mark.parametrize("where", ["N0", "N0 % 0 == 0", "x < 3", "N0 = 4"])
def test_what_is_no_condition_is_refused(where: str):
    with pytest.raises(InvalidInput, match="is no condition"):
        parse_predicate(where)


def test_a_text_without_named_extents_is_only_checked_at_its_own():
    fixed = candidate("map", "rvv", text("rvv", "r0[i] = 0;"))
    assert draw_cases(fixed).extents == {(("N0", 37),)}
    hidden = draw_cases(fixed, 9, exclude=draw_cases(fixed).extents)
    assert hidden.extents == {(("N0", 37),)}


def test_hidden_extents_are_others():
    seen = draw_cases(candidate("rowwise", "rvv")).extents
    hidden = draw_cases(candidate("rowwise", "rvv"), 9, exclude=seen).extents
    assert hidden
    assert not hidden & seen


def test_a_reference_that_makes_nan_is_named():
    drawn = draw_cases(candidate("nan", "rvv"))
    assert drawn.cases == ()
    assert drawn.problem == "the reference itself makes NaN from finite inputs"


def test_a_reference_for_positive_numbers_gets_them():
    drawn = draw_cases(candidate("log", "rvv"))
    assert drawn.problem == ""
    assert drawn.notes == (
        "the reference makes NaN of negative inputs; cases are positive",
    )
    assert {"positive", "constant"} <= {case.profile for case in drawn.cases}
