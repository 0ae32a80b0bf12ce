"""From the compiler's view of a kernel to what the learning loop stores of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log

from xdsl.ir import SSAValue

from mbc.agent.records import Estimate, KernelIdentity, TargetIdentity
from mbc.agent.state import DevicePeaks, KernelFacts, roofline
from mbc.codegen.families import (
    Cost,
    Match,
    Schedule,
    family_named,
    match_kernel,
    schedule_of,
)
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.fingerprint import kernel_fingerprint
from mbc.ir.kernel import KernelOp
from mbc.ir.types import numpy_dtype

PRIOR_SD = 0.3
"""Of a predicted log-speedup: paper costs know nothing of stalls and caches."""
WHOLE = 1000
"""Lane utilization is handed on as full and used lanes of a vector this wide."""


def marked_operands(kernel: KernelOp, constant: Collection[SSAValue]) -> list[int]:
    """Which operands are parameters: work on them happens once and is not timed."""
    return [i for i, value in enumerate(kernel.ins) if value in constant]


def kernel_identity(
    kernel: KernelOp, target: Target, marked: Sequence[int]
) -> KernelIdentity:
    """What statistics generalize over; the fingerprint ignores how it is built.

    It holds the marked operands: without work on them, a time is another one.
    """
    types = (*kernel.operand_tensors(), *kernel.result_tensors())
    dtypes = "x".join(dict.fromkeys(str(type.element_type) for type in types))
    work, traffic = flops(kernel), fewest_bytes(kernel)
    return KernelIdentity(
        f"{kernel_fingerprint(kernel)}{list(marked)}",
        match_kernel(kernel, target).family,
        dtypes,
        _shape_class(work, traffic),
        float(work),
        float(traffic),
    )


def _shape_class(work: int, traffic: int) -> str:
    """Orders of magnitude of work and traffic: `w5b4`."""
    return f"w{len(str(max(1, work)))}b{len(str(max(1, traffic)))}"


def target_identity(target: Target, device: str, toolchain: str) -> TargetIdentity:
    kind = "simt" if target.simt else "simd"
    return TargetIdentity(target.name, kind, device, toolchain)


def device_peaks(target: Target) -> DevicePeaks:
    peaks = target.peaks
    unit = "cycles" if peaks.unit == "cycle" else peaks.unit
    return DevicePeaks(
        unit,
        peaks.flops,
        peaks.bandwidth,
        peaks.launch,
        peaks.lanes,
        peaks.units,
        (float(peaks.cache_bytes),),
    )


def schedule_cost(match: Match, target: Target, schedule: Schedule) -> Cost:
    return family_named(match.family).cost(match, target, schedule)


def kernel_facts(kernel: KernelOp, target: Target) -> KernelFacts:
    """Facts under the kernel's own schedule."""
    match = match_kernel(kernel, target)
    cost = schedule_cost(match, target, schedule_of(match, target))
    types = (*kernel.operand_tensors(), *kernel.result_tensors())
    traffic = fewest_bytes(kernel)
    return KernelFacts(
        match.family,
        max(1.0, float(flops(kernel))),
        max(1.0, float(traffic)),
        float(traffic),
        max(numpy_dtype(type.element_type).itemsize for type in types),
        max(1, round(cost.utilization * WHOLE)),
        cost.parallel,
        lanes_needed=WHOLE,
        moved_bytes=max(1.0, cost.bytes),
    )


def predicted_time(cost: Cost, facts: KernelFacts, peaks: DevicePeaks) -> float:
    """Roofline of a schedule, with its own traffic and lane use, in the peaks' unit."""
    use = max(cost.utilization, 1e-3)
    slack = min(1.0, cost.parallel / (peaks.units or 1))
    work = cost.flops / (peaks.flops * use * max(slack, 1e-3))
    moved = max(cost.bytes, 1.0) / peaks.bandwidth
    return max(work, moved, roofline(facts, peaks) - peaks.launch) + peaks.launch


def prior(before: float, after: float) -> Estimate:
    """Predicted log-speedup from two predicted times."""
    return Estimate(log(before / after), PRIOR_SD)
