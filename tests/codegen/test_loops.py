"""Loop nests: collapsing changes how a nest is written, never what it touches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import AffineExpr, AffineMap

from mbc.codegen.loops import (
    Access,
    Nest,
    access,
    collapse,
    index_text,
    row_major,
)

EXTENTS = st.lists(st.integers(1, 4), max_size=5)
KINDS = st.sampled_from(("parallel", "reduction"))


@st.composite
def nests(draw: st.DrawFn) -> Nest:
    """Dense, broadcast, permuted and odd accesses over the same loops."""
    extents = draw(EXTENTS)
    kinds = [draw(KINDS) for _ in extents]
    reads = draw(st.lists(accesses(extents), min_size=1, max_size=3))
    return Nest(tuple(extents), tuple(kinds), tuple(reads[:-1]), (reads[-1],))


@st.composite
def accesses(draw: st.DrawFn, extents: list[int]) -> Access:
    loops = range(len(extents))
    if draw(st.booleans()):
        kept = draw(st.sets(st.sampled_from(loops)) if extents else st.just(set()))
        order = draw(st.permutations(sorted(kept))) if draw(st.booleans()) else kept
        order = sorted(order) if order is kept else order
        dense = dict(zip(order, row_major([extents[d] for d in order]), strict=True))
        strides = [dense.get(d, 0) for d in loops]
    else:
        strides = [draw(st.integers(-3, 12)) for _ in loops]
    return Access("a0", "f32", draw(st.integers(0, 5)), tuple(strides))


def touched(nest: Nest) -> Iterator[tuple[int, ...]]:
    """The elements of every access, in the order in which the loops go."""
    for point in itertools.product(*map(range, nest.extents)):
        yield tuple(
            a.offset + sum(s * i for s, i in zip(a.strides, point, strict=True))
            for a in nest.accesses
        )


@given(nests())
def test_collapsing_keeps_the_sequence_of_elements(nest: Nest):
    assert list(touched(collapse(nest))) == list(touched(nest))


@given(nests())
def test_collapsing_leaves_nothing_to_merge(nest: Nest):
    once = collapse(nest)
    assert 1 not in once.extents
    assert collapse(once) == once


@given(nests())
def test_collapsing_keeps_each_kind_of_loop_apart(nest: Nest):
    def folded(nest: Nest) -> int:
        pairs = zip(nest.extents, nest.kinds, strict=True)
        product = 1
        for extent, kind in pairs:
            product *= extent if kind == "reduction" else 1
        return product

    assert folded(collapse(nest)) == folded(nest)


def test_a_dense_chain_is_one_loop():
    strides = row_major((8, 16, 32))
    nest = Nest(
        (8, 16, 32),
        ("parallel",) * 3,
        (Access("a0", "f32", 0, strides),),
        (Access("r0", "f32", 0, strides),),
    )
    assert collapse(nest).extents == (8 * 16 * 32,)


def test_a_broadcast_bias_leaves_two_loops():
    strides = row_major((8, 16, 32))
    nest = Nest(
        (8, 16, 32),
        ("parallel",) * 3,
        (Access("a0", "f32", 0, strides), Access("a1", "f32", 0, (0, 0, 1))),
        (Access("r0", "f32", 0, strides),),
    )
    assert collapse(nest).extents == (8 * 16, 32)


@given(EXTENTS.flatmap(lambda e: st.tuples(st.just(e), st.permutations(range(len(e))))))
def test_an_access_counts_elements_as_the_map_does(case: tuple[list[int], list[int]]):
    extents, order = case
    plain = AffineMap(len(order), 0, tuple(AffineExpr.dimension(d) for d in order))
    found = access(plain, [extents[d] for d in order], "a0", "f32")
    steps = row_major([extents[d] for d in order])
    for point in itertools.product(*map(range, extents)):
        element = sum(point[d] * step for d, step in zip(order, steps, strict=True))
        assert element == sum(i * s for i, s in zip(point, found.strides, strict=True))


@given(accesses([3, 4, 5]))
def test_index_text_computes_the_element(read: Access):
    names = {"N0": 3, "N1": 4, "N2": 5}
    text = index_text(read, ("i0", "i1", "i2"), list(names.items()))
    for point in itertools.product(*map(range, names.values())):
        indices = dict(zip(("i0", "i1", "i2"), point, strict=True))
        wanted = read.offset + sum(
            i * s for i, s in zip(point, read.strides, strict=True)
        )
        assert eval(text, {**names, **indices}) == wanted


def test_strides_are_written_with_the_names_of_extents():
    read = Access("a0", "f32", 0, row_major((3, 4, 5)))
    extents = [("N0", 3), ("N1", 4), ("N2", 5)]
    assert index_text(read, ("i", "j", "k"), extents) == "i * N1 * N2 + j * N2 + k"
