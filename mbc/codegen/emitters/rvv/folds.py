"""Reductions as text: a vector of partial results per row, joined at its end."""

from __future__ import annotations

from mbc.codegen.emitters.rvv.headers import vector_header
from mbc.codegen.emitters.rvv.values import Vectors

STARTS = {"sum": "0.0f", "prod": "1.0f", "max": "-MBC_INF", "min": "MBC_INF"}
INSTRUCTIONS = {"sum": "vfadd", "prod": "vfmul", "max": "vfmax", "min": "vfmin"}
NAN_KEEPING = {"max": "maximum", "min": "minimum"}


def carried(kind: str) -> str:
    """The reduction that is carried out: a mean is a sum, divided at the end."""
    return "sum" if kind == "mean" else kind


def start(kind: str, vectors: Vectors) -> str:
    return vectors.splat(STARTS[carried(kind).removesuffix("num")])


def combined(
    kind: str, total: str, value: str, vectors: Vectors, headers: set[str]
) -> str:
    """Two vectors of partial results as one, lane by lane.

    `maxnum` and `minnum` are for where NaN reaches every result on another way.
    """
    if kind in NAN_KEEPING:
        headers.add(vector_header(NAN_KEEPING[kind], vectors.lmul))
        return vectors.helper(NAN_KEEPING[kind], total, value).text
    return vectors.call(_instruction(kind), total, value).text


def step(kind: str, total: str, value: str, vectors: Vectors, headers: set[str]) -> str:
    """The statement that takes a strip in; elements behind its length are kept."""
    text = combined(kind, total, value, vectors, headers)
    if kind not in NAN_KEEPING:
        text = vectors.call(f"{_instruction(kind)}_tu", total, total, value).text
    return f"{total} = {text};"


def _instruction(kind: str) -> str:
    return INSTRUCTIONS[carried(kind).removesuffix("num")]


def join(kind: str, total: str, vectors: Vectors, headers: set[str]) -> str:
    """The scalar that all elements of `total` make; of a mean, the sum."""
    name = f"reduce_{carried(kind)}"
    headers.add(vector_header(name, vectors.lmul))
    return vectors.helper(name, total).text
