"""Whether an artifact computes what its model means, within the bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerAttr

from mbc.api.artifact import Artifact
from mbc.api.module import Module, argument_names, check_arrays
from mbc.errors import InvalidInput
from mbc.ir.execute import execute, function_named
from mbc.ir.types import Array
from mbc.runtime.bound import Mismatch, expected_results, judged
from mbc.runtime.inputs import random_arguments


@dataclass(frozen=True)
class CheckReport:
    """`worst` is the largest share of an element's bound that was used."""

    passed: bool
    worst: float
    text: str


def check(artifact: Artifact, module: Module, given: dict[str, Any]) -> CheckReport:
    """Run the artifact on named inputs and compare with `execute` of the model."""
    arrays = check_arrays(module.op, given)
    return compare_results(artifact, module, arrays)


def check_random(artifact: Artifact, module: Module, seed: int = 0) -> CheckReport:
    """As `check`, on random inputs."""
    function = function_named(module.op, "forward")
    drawn = random_arguments(function.body.block, seed)
    names = [name for _, name in argument_names(function)]
    arrays = dict(zip(names, drawn, strict=True))
    inputs = {n: a for n, a in arrays.items() if n not in module.parameters}
    return compare_results(artifact, module, inputs)


def compare_results(
    artifact: Artifact, module: Module, arrays: dict[str, Array]
) -> CheckReport:
    function = function_named(module.op, "forward")
    values = {**module.parameters, **updated_buffers(artifact), **arrays}
    prepared = iter(prepared_values(module))
    ordered = [
        next(prepared) if kind == "prepared" else values[name]
        for kind, name in argument_names(function)
    ]
    expected = expected_results(module.op, ordered)
    undefined = sum(int(np.isnan(want.value).sum()) for want in expected)
    if undefined == sum(want.value.size for want in expected):
        reason = "the model itself makes NaN of these inputs"
        reason = reason if undefined else "no result has an element"
        raise InvalidInput(f"there is nothing to check: {reason}")
    verdict = judged(module.op, ordered, expected, artifact.execute(arrays))
    if isinstance(verdict, Mismatch):
        return CheckReport(False, float("nan"), str(verdict))
    text = f"{verdict.checked - undefined} elements within their bounds"
    if undefined:
        text += f", {undefined} where the model itself makes NaN"
    return CheckReport(True, verdict.worst, text)


def updated_buffers(artifact: Artifact) -> dict[str, Array]:
    """Buffers that the model updates, as earlier calls of the artifact left them."""
    names = [result.updates for result in artifact.code.forward.results]
    return {n: artifact.parameters[n] for n in names if n in artifact.parameters}


def prepared_values(module: Module) -> list[Array]:
    """What @forward takes from @prepare, in order, where the module was lowered."""
    forward = function_named(module.op, "forward")
    indices = [
        entry.data["mbc.prepared"]
        for entry in forward.arg_attrs or ()
        if "mbc.prepared" in entry.data
    ]
    if not indices:
        return []
    prepare = function_named(module.op, "prepare")
    ordered = [module.parameters[name] for _, name in argument_names(prepare)]
    results = execute(prepare, ordered)
    return [results[i.value.data] for i in indices if isinstance(i, IntegerAttr)]
