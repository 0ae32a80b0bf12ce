"""States: normalized, binned, and the same for the same facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbc.agent.state import (
    DevicePeaks,
    KernelFacts,
    State,
    extract,
    levels,
    roofline,
)
from mbc.runtime.outcome import Fidelity, Measured, NotMeasured

PEAKS = DevicePeaks("cycles", 16.0, 8.0, 100.0, 8, 1, (32768, 1048576))
GEMM = KernelFacts(
    family="contract",
    flops=2.0 * 128**3,
    bytes=12.0 * 128**2,
    workset_bytes=40000,
    dtype_width=4,
    inner_extent=128,
    parallel_points=16384,
)
ADD = replace(GEMM, family="map", flops=16384.0, bytes=12.0 * 16384)
UNKNOWN = NotMeasured("not run yet")


def cycles(value: float) -> Measured:
    return Measured(value, "cycles", Fidelity.MODELLED, "model v1")


def coarse(facts: KernelFacts) -> str:
    return levels(extract(facts, PEAKS, UNKNOWN).signature)[0]


def test_levels_are_prefixes() -> None:
    signature = extract(GEMM, PEAKS, UNKNOWN).signature
    low, middle, full = levels(signature)
    assert full == signature
    assert signature.startswith(middle + "/")
    assert middle.startswith(low + "/")


def test_bottlenecks() -> None:
    assert coarse(GEMM) == "compute"
    assert coarse(ADD) == "memory"
    assert coarse(replace(ADD, flops=16.0, bytes=192.0)) == "latency"
    assert coarse(replace(ADD, moved_bytes=ADD.bytes * 8)) == "excess"
    assert coarse(replace(ADD, flops=ADD.bytes * 2)) == "balanced"


def test_a_measured_time_changes_the_fractions_and_their_fidelity() -> None:
    floor = roofline(GEMM, PEAKS)
    near = extract(GEMM, PEAKS, cycles(floor))
    far = extract(GEMM, PEAKS, cycles(10 * floor))
    assert near.values()["compute_frac"] > 0.99 * (1 - 100 / floor)
    assert far.values()["compute_frac"] == pytest.approx(0.1, rel=0.01)
    assert near.signature != far.signature
    assert levels(near.signature)[1] == levels(far.signature)[1]
    assert {f.fidelity for f in far.features if f.source == "measurement"} == {
        Fidelity.MODELLED
    }


def test_a_time_in_another_unit_is_not_used() -> None:
    clock = Measured(5.0, "ns", Fidelity.HARDWARE, "board")
    assert extract(GEMM, PEAKS, clock) == extract(GEMM, PEAKS, UNKNOWN)


def test_scaling_kernel_and_device_together_keeps_the_state() -> None:
    wide = replace(PEAKS, flops=64.0, bandwidth=32.0, lanes=32)
    facts = replace(GEMM, inner_extent=512, parallel_points=4 * GEMM.parallel_points)
    assert (
        extract(facts, wide, cycles(70000)).signature
        == extract(GEMM, PEAKS, cycles(280000)).signature
    )


def test_tails_lower_lane_use() -> None:
    ragged = extract(replace(GEMM, inner_extent=9), PEAKS, UNKNOWN)
    assert ragged.values()["lane_util"] == 9 / 16


def test_states_are_stored_as_text() -> None:
    state = extract(GEMM, PEAKS, cycles(1e6))
    assert State.load(state.signature, state.dump()) == state
