"""Reductions as text: where they start, how they go on, which fold joins threads."""

from __future__ import annotations

STARTS = {"sum": "0.0f", "prod": "1.0f", "max": "-MBC_INF", "min": "MBC_INF"}
STEPS = {
    "sum": "{total} += {value};",
    "prod": "{total} *= {value};",
    "max": "{total} = mbc_maximum({total}, {value});",
    "min": "{total} = mbc_minimum({total}, {value});",
}


def carried(kind: str) -> str:
    """The reduction that is carried out: a mean is a sum, divided at the end."""
    return "sum" if kind == "mean" else kind


def start_text(kind: str) -> str:
    return STARTS[carried(kind)]


def step_text(kind: str, total: str, value: str) -> str:
    return STEPS[carried(kind)].format(total=total, value=value)


def struct(kind: str) -> str:
    """The prelude's description of the reduction."""
    return f"mbc_{carried(kind)}"


def join_threads(kind: str, total: str, threads: int, shared: str) -> str:
    """The statement that folds `total` over the threads of a row."""
    if threads == 1:
        return ""
    if threads <= 32:
        call = f"mbc_fold_lanes<{threads}, {struct(kind)}>({total})"
    else:
        call = f"mbc_fold_block<{threads}, {struct(kind)}>({total}, {shared})"
    return f"{total} = {call};"
