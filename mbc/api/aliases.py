"""Outputs that are an input itself: callers get their own tensor, as in PyTorch."""

from __future__ import annotations

from mbc.codegen.model import FunctionCode, Result


def aliased_inputs(forward: FunctionCode) -> dict[int, str]:
    """By position among the outputs, the input that each of some outputs is.

    Either its memory is the input's, or the call writes the same value into the input.
    """
    names = {
        argument.buffer: argument.name
        for argument in forward.arguments
        if argument.kind == "input"
    }
    updated = {r.updates for r in forward.results if r.updates}
    owners: dict[object, str] = {
        _place(r): r.updates for r in forward.results if r.updates in names.values()
    }
    for buffer, name in names.items():
        if name not in updated:
            owners[buffer, 0, forward.program.by_name[buffer].shape] = name
    outputs = [result for result in forward.results if not result.updates]
    found = {i: owners.get(_place(result)) for i, result in enumerate(outputs)}
    return {i: name for i, name in found.items() if name is not None}


def _place(result: Result) -> object:
    return result.buffer, result.offset, result.shape
