"""Convolutions on RVV, with every knob value, against float64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from mbc.codegen.families import family_named, match_kernel
from mbc.codegen.families.conv_spaces import runs_on
from mbc.ir.attributes import Entry
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
    """Every legal knob value, or the default schedule and one over the ends of rows."""
    shapes, body = convolution.shapes, convolution.body
    match = match_kernel(kernel_of("k0", shapes, body), RVV)
    family = family_named(match.family)
    legal = [
        schedule
        for schedule in each_knob(family.space(match, RVV))
        if not family.refusal(match, RVV, schedule)
    ]
    flat = [s for s in legal[1:] if is_flat(s)][:1]
    for schedule in legal if convolution.swept else [legal[0], *flat]:
        yield Case(convolution.name, "conv", shapes, body, schedule)


def is_flat(schedule: Mapping[str, Entry]) -> bool:
    tile = schedule["tile"]
    assert isinstance(tile, tuple)
    return runs_on(tile)


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
