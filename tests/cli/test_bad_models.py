"""Models that nothing can be said of: one sentence on each target, never a pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbc.runtime.outcome import Available
from mbc.runtime.runner import runner_for
from tests.cli.conftest import Command
from tests.ir.samples import module_of
from tests.runtime.gates.kernels import KERNELS

UNJUDGED = {
    "ignoring": "the model cannot be checked: no result depends on input 'a1'",
    "nan": "the model cannot be checked: the model itself makes NaN of finite inputs",
}


@pytest.fixture(params=["rvv", "opencl", "cuda"])
def target(request: pytest.FixtureRequest) -> str:
    if not isinstance(runner_for(request.param).availability(), Available):
        pytest.skip(f"this machine cannot run {request.param} programs")
    return request.param


@pytest.mark.parametrize("name", UNJUDGED)
def test_a_model_that_cannot_be_judged_is_not_tuned(
    mbc: Command, here: Path, target: str, name: str
):
    (here / "m.mlir").write_text(str(module_of(*KERNELS[name])))
    ended = mbc("tune", "m.mlir", "--target", target)
    assert UNJUDGED[name] in ended.complains()
    assert list((here / f"m-{target}").iterdir()) == []


def test_where_the_model_makes_nan_nothing_is_checked(
    mbc: Command, here: Path, target: str
):
    (here / "m.mlir").write_text(str(module_of(*KERNELS["log"])))
    x = np.linspace(-1, -0.1, 37, dtype=np.float32)
    command = ("run", "m.mlir", "--target", target, "--inputs", "in.npz", "--check")
    np.savez(here / "in.npz", x)
    assert "the model itself makes NaN of these inputs" in mbc(*command).complains()
    np.savez(here / "in.npz", np.where(np.arange(37) < 7, x, -x))
    ended = mbc(*command)
    assert ended.code == 0
    words = "30 elements within their bounds, 7 where the model itself makes NaN"
    assert ended.out.startswith(words)
    assert "isolated by" in ended.out


@pytest.mark.parametrize(
    ("text", "words"),
    [(b"", "m.mlir"), (b"\x7fELF\xff\xfe", "is not text"), (b"int main;", "m.mlir:1:")],
)
@pytest.mark.parametrize("command", ["tune", "run", "verify"])
def test_what_is_no_model_is_one_sentence(
    mbc: Command, here: Path, target: str, command: str, text: bytes, words: str
):
    (here / "m.mlir").write_bytes(text)
    np.savez(here / "in.npz", np.ones(3, np.float32))
    arguments = {
        "tune": ("m.mlir",),
        "run": ("m.mlir", "--inputs", "in.npz"),
        "verify": ("-", "--kernel", "m.mlir:k0"),
    }
    ended = mbc(command, *arguments[command], "--target", target)
    assert words in ended.complains()
