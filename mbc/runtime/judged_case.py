"""A case of an emitted function whose timed calls are judged by the bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbc.codegen.model import FunctionCode
from mbc.ir.types import Array
from mbc.runtime.bound import Expected, Mismatch, compare
from mbc.runtime.execution import bind, results_of
from mbc.runtime.trial import Arrays, Case


def judged_case(
    function: FunctionCode,
    values: Mapping[str, Array],
    prepared: Sequence[Array],
    expected: Sequence[Expected],
) -> Case:
    """`values` are arrays by argument name, `prepared` the results of @prepare."""
    bound = bind(function, values, prepared)

    def accepts(outputs: Arrays) -> str:
        verdict = compare(expected, results_of(function, bound, outputs))
        return str(verdict) if isinstance(verdict, Mismatch) else ""

    return Case(bound, accepts)
