"""The arena: nothing that is alive at once overlaps, and nothing is wasted twice."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from mbc.codegen.memory_plan import ALIGNMENT, Lifetime, plan_memory


@st.composite
def lifetimes(draw: st.DrawFn) -> list[Lifetime]:
    spans = draw(
        st.lists(
            st.tuples(st.integers(0, 500), st.integers(0, 9), st.integers(0, 4)),
            max_size=12,
        )
    )
    return [
        Lifetime(f"b{i}", size, first, first + length)
        for i, (size, first, length) in enumerate(spans)
    ]


@given(lifetimes())
def test_buffers_that_live_at_once_do_not_overlap(buffers: list[Lifetime]):
    offsets = plan_memory(buffers).offsets
    for a, b in itertools.combinations(buffers, 2):
        together = a.first <= b.last and b.first <= a.last
        if not together or not a.nbytes or not b.nbytes:
            continue
        apart = (
            offsets[a.name] + a.nbytes <= offsets[b.name]
            or offsets[b.name] + b.nbytes <= offsets[a.name]
        )
        assert apart, (a, b, offsets)


@given(lifetimes())
def test_every_buffer_lies_aligned_in_the_arena(buffers: list[Lifetime]):
    arena = plan_memory(buffers)
    assert set(arena.offsets) == {buffer.name for buffer in buffers}
    for buffer in buffers:
        offset = arena.offsets[buffer.name]
        assert offset % ALIGNMENT == 0
        assert 0 <= offset <= offset + buffer.nbytes <= arena.nbytes


@given(lifetimes(), st.randoms())
def test_the_order_of_buffers_does_not_matter(buffers: list[Lifetime], random):
    shuffled = list(buffers)
    random.shuffle(shuffled)
    assert plan_memory(shuffled) == plan_memory(buffers)


@given(lifetimes())
def test_the_arena_is_no_larger_than_all_buffers_side_by_side(
    buffers: list[Lifetime],
):
    rounded = [max(1, -(-buffer.nbytes // ALIGNMENT)) for buffer in buffers]
    assert plan_memory(buffers).nbytes <= ALIGNMENT * sum(rounded)


def test_a_chain_needs_room_for_two():
    chain = [Lifetime(f"b{i}", 256, i, i + 1) for i in range(6)]
    assert plan_memory(chain).nbytes == 2 * 256


def test_nothing_needs_nothing():
    assert plan_memory([]).nbytes == 0
