"""Model files that leave an extent open: import, run, tune, and what is asked for."""

from pathlib import Path

import numpy as np
import pytest

from mbc.runtime.outcome import Available
from mbc.runtime.runner import runner_for
from tests.cli.conftest import Command

MODEL = """\
import torch
from torch.export import Dim
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)
    def forward(self, x):
        return self.linear(x).relu()
def get_inputs():
    return [torch.ones(2, 4)]
def get_dynamic_shapes():
    return {"x": {0: Dim("batch", max=64)}}
"""


@pytest.fixture
def model(here: Path) -> Path:
    (here / "m.py").write_text(MODEL)
    return here / "m.py"


def test_import_writes_what_is_open(mbc: Command, mbc_opt: Command, model: Path):
    assert mbc("import", "m.py").code == 0
    text = model.with_suffix(".mlir").read_text()
    assert "%x: tensor<?x4xf32>" in text
    assert "mbc.extents = array<i64: 0, 64>" in text
    ended = mbc_opt(
        "m.mlir", "-p", "specialize{extent=5},form-kernels", "--target", "rvv"
    )
    assert ended.code == 0
    assert "a0[5, 4]" in ended.out


@pytest.mark.parametrize("name", ["m.py", "m.mlir"])
def test_run_takes_any_extent(mbc: Command, here: Path, model: Path, name: str):
    if not isinstance(runner_for("opencl").availability(), Available):
        pytest.skip("this machine cannot run opencl programs")
    mbc("import", "m.py")
    np.savez(here / "in.npz", np.ones((5, 4), np.float32))
    command = ("run", name, "--target", "opencl", "--inputs", "in.npz", "--check")
    ended = mbc(*command, "--extent", 5)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("10 elements within their bounds")
    assert "the model takes float32 [4, 4]" in mbc(*command, "--extent", 4).complains()


COMMANDS = [
    ("run", "m.py", "--inputs", "in.npz"),
    ("tune", "m.py"),
    ("bisect", "m.py"),
    ("verify", "-", "--kernel", "m.py:k0"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_open_extent_must_be_chosen(mbc: Command, model: Path, command: list[str]):
    ended = mbc(*command, "--target", "rvv")
    assert "m.py leaves an extent open: choose it with --extent N" in ended.complains()
    ended = mbc(*command, "--target", "rvv", "--extent", 65)
    assert "at least 0 and at most 64" in ended.complains()


def test_a_model_without_an_open_extent_takes_none(mbc: Command, model: Path):
    model.write_text(MODEL.replace("get_dynamic_shapes", "unused"))
    ended = mbc("tune", "m.py", "--target", "rvv", "--extent", 5)
    assert "no extent of the model is open" in ended.complains()


def test_check_says_what_fixes_the_extent(mbc: Command, model: Path):
    assert mbc("check", "m.py").code == 0
    model.write_text(MODEL.replace(".relu()", ".relu() + torch.ones(2, 2)"))
    ended = mbc("check", "m.py")
    assert ended.code == 1
    assert "does not take every extent of a dynamic dimension" in ended.out
    model.write_text(MODEL.replace("(2, 4)]", "(1, 4)]"))
    assert "use an example batch of at least 2" in mbc("check", "m.py").out
