"""Compilers have longer for longer texts."""

from mbc.runtime.process import BYTES_PER_SECOND, MOST_SECONDS, Limits, build_limits


def test_a_long_text_has_longer_and_all_else_stays():
    base = Limits(wall_seconds=10, cpu_seconds=5)
    assert build_limits(base, ["x" * 10]) == base
    longer = build_limits(base, ["x" * BYTES_PER_SECOND, "y" * 2 * BYTES_PER_SECOND])
    assert (longer.wall_seconds, longer.cpu_seconds) == (13, 8)
    assert longer.memory_bytes == base.memory_bytes


def test_no_text_is_compiled_for_ever():
    base = Limits(wall_seconds=10, cpu_seconds=5)
    longest = build_limits(base, ["x" * BYTES_PER_SECOND] * 10_000)
    assert longest.cpu_seconds == 5 + MOST_SECONDS
