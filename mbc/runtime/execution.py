"""Calling emitted functions: from named arrays to buffers, and back to results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbc.codegen.model import FunctionCode, ModelCode, Result
from mbc.ir.types import NUMPY_DTYPES, Array
from mbc.runtime.outcome import Failed
from mbc.runtime.runner import Runner


def bind(
    function: FunctionCode, values: Mapping[str, Array], prepared: Sequence[Array]
) -> dict[str, Array]:
    """Arrays by buffer name: parameters and inputs by argument name."""
    bound: dict[str, Array] = {}
    for argument in function.arguments:
        array = (
            prepared[argument.index]
            if argument.kind == "prepared"
            else values[argument.name]
        )
        bound[argument.buffer] = as_stored(array, argument.buffer, function)
    return bound


def as_stored(array: Array, buffer: str, function: FunctionCode) -> Array:
    """Dense row-major, in the buffer's dtype; unsigned arrays keep their bits."""
    dtype = NUMPY_DTYPES[function.program.by_name[buffer].dtype]
    if array.dtype.kind == "u" and dtype.kind == "i":
        array = array.view(f"i{array.dtype.itemsize}")
    return np.require(array, dtype, ["C", "A"])


def results_of(
    function: FunctionCode, bound: Mapping[str, Array], outputs: Mapping[str, Array]
) -> list[Array]:
    """Returned values in order; some may be inputs that pass through."""
    return [_result(result, bound, outputs) for result in function.results]


def _result(
    result: Result, bound: Mapping[str, Array], outputs: Mapping[str, Array]
) -> Array:
    source = (
        outputs[result.buffer] if result.buffer in outputs else bound[result.buffer]
    )
    count = int(np.prod(result.shape, dtype=np.int64))
    flat = np.ravel(source)[result.offset : result.offset + count]
    return flat.reshape(result.shape).copy()


def run_function(
    runner: Runner,
    function: FunctionCode,
    values: Mapping[str, Array],
    prepared: Sequence[Array] = (),
) -> list[Array] | Failed:
    """One call; without launches there is nothing to compute but empty results."""
    bound = bind(function, values, prepared)
    program = function.program
    if not program.launches:
        empty = {
            b.name: np.zeros(b.shape, NUMPY_DTYPES[b.dtype]) for b in program.outputs
        }
        return results_of(function, bound, empty)
    outcome = runner.run(function.program, bound)
    if isinstance(outcome, Failed):
        return outcome
    return results_of(function, bound, outcome.outputs)


def run_prepare(
    runner: Runner, code: ModelCode, values: Mapping[str, Array]
) -> list[Array] | Failed:
    """The results of @prepare, or nothing where the model has none."""
    if code.prepare is None:
        return []
    return run_function(runner, code.prepare, values)
