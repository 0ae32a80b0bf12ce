"""Programs to time whose results a test does not judge, or judges by a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mbc.codegen.program import Program
from mbc.runtime.trial import Arrays, Case, Trial


def unjudged(program: Program, inputs: Arrays) -> Trial:
    return Trial(program, (Case(inputs, lambda _: ""),))


def judged(
    program: Program,
    sets: Sequence[Arrays],
    right: Callable[[Arrays], Arrays],
) -> Trial:
    """Every output must be what `right` makes of the inputs, to a few ulps."""

    def case(inputs: Arrays) -> Case:
        wanted = right(inputs)

        def accepts(outputs: Arrays) -> str:
            for name, array in wanted.items():
                got, want = np.asarray(outputs[name], "f8"), np.asarray(array, "f8")
                if not np.allclose(got, want, rtol=1e-5, atol=1e-6):
                    return f"'{name}' is wrong"
            return ""

        return Case(inputs, accepts)

    return Trial(program, tuple(map(case, sets)))


def summed(given: Arrays) -> Arrays:
    """z = x + y, in f32."""
    return {"z": np.add(np.asarray(given["x"], "f4"), np.asarray(given["y"], "f4"))}
