"""What stands in front of a text from outside, and how it is launched."""

from __future__ import annotations

import pytest

from mbc.codegen.own_text import geometry, own_code
from mbc.codegen.targets import target_named
from mbc.errors import InvalidInput, PassRefused
from mbc.ir.resize import resize
from tests.runtime.gates.kernels import candidate

FREE = {"N0": 100, "N1": 7}


@pytest.mark.parametrize(
    ("words", "grid", "block"),
    [
        ("once", (1, 1, 1), (1, 1, 1)),
        ("grid=4 block=32", (4, 1, 1), (32, 1, 1)),
        ("grid=ceil(N0/64),N1 block=64", (2, 7, 1), (64, 1, 1)),
        ("grid=N0*N1,3,ceil(N1/2)*2 block=8,4,2", (700, 3, 8), (8, 4, 2)),
    ],
)
def test_geometry_follows_the_extents(words: str, grid, block):
    assert geometry(words, FREE) == (grid, block)


def test_a_grid_over_nothing_has_one_group():
    empty = {"N0": 0, "N1": 7}
    assert geometry("grid=ceil(N0/64),N0 block=64", empty)[0] == (1, 1, 1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "is no launch"),
        ("twice", "is no launch"),
        ("grid=N0", "is no launch"),
        ("grid=N2 block=1", "extents here: N0, N1"),
        ("grid=ceil(N0/0) block=1", "'ceil(N0/0)' in a launch"),
        ("grid=N0+1 block=1", "'N0+1' in a launch"),
        ("grid=1,1,1,1 block=1", "more than three dimensions"),
        ("grid=1 block=N0", "'N0' in a launch"),
        ("grid=1 block=-1", "'-1' in a launch"),
    ],
)
def test_a_launch_that_cannot_be_read_is_one_sentence(words: str, complaint: str):
    with pytest.raises(InvalidInput) as raised:
        geometry(words, FREE)
    assert complaint in str(raised.value)


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
@pytest.mark.parametrize("name", ["map", "contract", "rowwise", "nest"])
def test_a_launch_depends_on_the_extents_alone(target: str, name: str):
    """Whatever family, schedule and scratch the emitted kernel has there."""
    kernel = candidate(name, target).kernel
    text = "// launch: grid=ceil(N0/8) block=8\n"
    code = own_code(kernel, target_named(target), text, resizable=True)
    (launch,) = code.launches
    names = [b.name for b in (*code.operands, *code.results)]
    assert (launch.function, list(launch.args)) == (code.label, names)
    extents = dict(code.extents)
    assert launch.grid == (-(-extents[f"{code.label}_N0"] // 8), 1, 1)
    lines = [f"#define {name} {value}\n" for name, value in code.extents]
    assert code.source == "".join(lines) + text


def test_extents_are_those_of_the_case():
    kernel = resize(candidate("rowwise", "opencl").kernel, {"N0": 3, "N1": 5})
    text = "/* launch: grid=N0 block=1 */"
    code = own_code(kernel, target_named("opencl"), text, resizable=True)
    assert code.extents == (("k0_N0", 3), ("k0_N1", 5))
    assert code.launches[0].grid == (3, 1, 1)


def test_a_name_that_the_text_defines_is_left_to_it():
    kernel = candidate("rowwise", "rvv").kernel
    text = "#define k0_N1 99\n"
    code = own_code(kernel, target_named("rvv"), text)
    assert code.source == f"#define k0_N0 4\n{text}"


@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_on_a_grid_a_text_for_any_extents_says_how_it_is_launched(target: str):
    kernel = candidate("map", target).kernel
    with pytest.raises(PassRefused, match="must say how it is launched"):
        own_code(kernel, target_named(target), "text", resizable=True)


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_a_text_as_built_is_called_as_the_emitted_kernel(target: str):
    emitted = candidate("contract", target)
    code = own_code(emitted.kernel, target_named(target), "text")
    assert code.launches == emitted.code(emitted.kernel).launches
