"""The time of a whole model as its kernels' sum, where numbers repeat exactly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mbc.agent.loop import KernelResult
from mbc.agent.records import Timed
from mbc.runtime.gates.performance import Pair
from mbc.runtime.outcome import Fidelity, Measured, NotMeasured


def sums(
    results: Mapping[str, KernelResult],
    occurrences: Mapping[str, Sequence[str]],
    device: str,
    chosen: Collection[str],
) -> Pair | None:
    """All kernels, those of `chosen` as tuned, and by default; as often as they occur.

    None where there is a clock, which the whole model can be put on. A kernel that was
    not measured leaves nothing to compare.
    """
    kinds: set[tuple[str, Fidelity]] = set()
    tuned = default = 0.0
    for label, labels in occurrences.items():
        pair = _times(results.get(label))
        if pair is None:
            missing = NotMeasured(f"{label} was not measured")
            return Pair(missing, missing)
        tuned += pair[label not in chosen].value * len(labels)
        default += pair[1].value * len(labels)
        kinds |= {(one.unit, one.fidelity) for one in pair}
    if len(kinds) != 1:
        missing = NotMeasured("the kernels were measured in different ways")
        return Pair(missing, missing)
    ((unit, fidelity),) = kinds
    if fidelity is Fidelity.HARDWARE:
        return None
    return Pair(
        Measured(tuned, unit, fidelity, device),
        Measured(default, unit, fidelity, device),
    )


def _times(result: KernelResult | None) -> tuple[Timed, Timed] | None:
    """Of the best schedule and of the default one."""
    if result is None or result.default is None:
        return None
    best = result.best or result.default
    if not isinstance(best.result, Timed) or not isinstance(
        result.default.result, Timed
    ):
        return None
    return best.result, result.default.result
