"""Reduced extents: the table keeps its rules, and files take its values."""

import ast
import re
from pathlib import Path

import pytest

from mbc.errors import InvalidInput
from mbc.frontend.kernelbench.scale import (
    SMALLEST,
    Scale,
    at_scale,
    scale_of,
    scales,
)
from mbc.frontend.model_file import ModelFile, run
from tests.frontend.kernelbench.checkout import LINEAR, NORM

AS_WRITTEN = re.compile(
    r"kernel|stride|padding|dilation|groups|heads?$|num_layers|^layers$|pool|dim$"
)
"""Constants that no row may change; `dim` may be an extent, which is large."""

AXES_OF_ONE = {"3_4": (1,)}
"""The one channel of its images, as written."""

PROBLEMS = [
    *(f"1_{n}" for n in range(1, 101)),
    *(f"2_{n}" for n in range(1, 101)),
    *(f"3_{n}" for n in range(1, 51)),
]


def test_every_problem_has_a_row():
    assert list(scales()) == PROBLEMS
    with pytest.raises(InvalidInput, match="problem 4_1 has no reduced extents"):
        scale_of("4_1")


@pytest.mark.parametrize("problem", PROBLEMS)
def test_extents_are_at_least_three_and_differ(problem: str):
    scale = scale_of(problem)
    if scale.whole:
        assert dict(scale.constants) in ({"batch_size": 1}, {})
        assert not scale.inputs
        return
    chosen = [n for n in scale.extents() if n not in AXES_OF_ONE.get(problem, ())]
    assert min(chosen) >= SMALLEST
    assert {n for n in chosen if chosen.count(n) > 1} == {*scale.tied}
    for name, value in scale.constants.items():
        large = isinstance(value, int) and value > 8
        assert not AS_WRITTEN.search(name) or (name.endswith("dim") and large)


def changed(tmp_path: Path, text: str, scale: Scale):
    path = tmp_path / "model.py"
    path.write_text(text, encoding="utf-8")
    return ModelFile(path, run(path, at_scale(scale))).make()


def test_constants_get_their_values(tmp_path: Path):
    scale = Scale({"batch_size": 4, "in_features": 17, "out_features": 19})
    loaded = changed(tmp_path, LINEAR, scale)
    assert loaded.inputs[0].shape == (4, 17)
    assert loaded.model(loaded.inputs[0]).shape == (4, 19)


def test_shapes_of_inputs_get_their_extents(tmp_path: Path):
    literal = NORM.replace("batch_size, features, dim1, dim2", "16, features, 512, 512")
    scale = Scale({"features": 5}, inputs=[[4, 5, 11, 13]])
    loaded = changed(tmp_path, literal, scale)
    assert loaded.inputs[0].shape == (4, 5, 11, 13)
    assert loaded.inputs[1] == 3.14


def test_chains_and_sequences_keep_their_kind():
    text = "height = width = 256\nshape = (256, 3)\nwidths = [64] * 3\nkernel = 3\n"
    constants = {"height": 11, "width": 13, "shape": [17, 3], "widths": [5, 7, 9]}
    names: dict[str, object] = {}
    exec(compile(at_scale(Scale(constants))(ast.parse(text)), "", "exec"), names)
    assert (names["height"], names["width"]) == (11, 13)
    assert (names["shape"], names["widths"]) == ((17, 3), [5, 7, 9])
    assert names["kernel"] == 3


def test_a_constant_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match="the file assigns no height, width"):
        changed(tmp_path, LINEAR, Scale({"height": 11, "width": 13}))
