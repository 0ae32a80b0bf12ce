"""Convolutions on RVV, with every knob value, against float64."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mbc.codegen.families import family_named, match_kernel
from mbc.runtime.rvv.runner import RvvRunner
from tests.codegen.convolutions import (
    CONVOLUTIONS,
    PACKED,
    PACKED_TRANSPOSED,
    TRANSPOSED,
    Convolution,
)
from tests.codegen.knobs import each_knob
from tests.codegen.rvv.programs import RVV, Case, check, kernel_of


def cases(convolution: Convolution) -> Iterator[Case]:
    """One per legal knob value, or the default schedule alone."""
    shapes, body = convolution.shapes, convolution.body
    match = match_kernel(kernel_of("k0", shapes, body), RVV)
    family = family_named(match.family)
    for schedule in each_knob(family.space(match, RVV)):
        if family.refusal(match, RVV, schedule):
            continue
        yield Case(convolution.name, "conv", shapes, body, schedule)
        if not convolution.swept:
            return


GROUPS = {
    "forward": CONVOLUTIONS,
    "packed": [*PACKED, *PACKED_TRANSPOSED],
    "transposed": TRANSPOSED,
}


@pytest.mark.parametrize("group", GROUPS)
def test_results(group: str, runner: RvvRunner):
    found = check([case for conv in GROUPS[group] for case in cases(conv)], runner)
    wrong = [(c.case.name, c.case.schedule, c.error) for c in found]
    assert [row for row in wrong if not row[2] < 2e-6] == []
