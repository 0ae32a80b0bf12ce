"""`mbc import`, `run` and `tune` end to end on a small model, where RVV can run."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mbc.runtime.outcome import Available
from mbc.runtime.runner import runner_for
from tests.agent.samples import failure, outcome
from tests.cli.conftest import Command
from tests.cli.test_opt_passes import FORWARD

runs_rvv = pytest.mark.skipif(
    not isinstance(runner_for("rvv").availability(), Available),
    reason="this machine cannot run RVV programs",
)
X = np.arange(32, dtype=np.float32).reshape(4, 8)

MODEL = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))

def get_inputs():
    return [torch.ones(2, 8)]
"""


@pytest.fixture
def model(here: Path) -> Path:
    (here / "m.mlir").write_text(FORWARD)
    return here / "m.mlir"


def test_import_writes_text_and_parameters(mbc: Command, mbc_opt: Command, here: Path):
    (here / "model.py").write_text(MODEL)
    ended = mbc("import", "model.py")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "wrote model.mlir and model.safetensors (2 parameters)\n"
    assert "mbc.parameter" in mbc_opt("model.mlir").out
    assert mbc_opt("model.mlir", "--target", "rvv", "-o", "out").code == 0
    assert (here / "out" / "weights.safetensors").exists()


def test_importing_over_the_parameters_is_refused(mbc: Command, here: Path):
    (here / "model.py").write_text(MODEL)
    error = mbc("import", "model.py", "-o", "q.safetensors").complains()
    assert "its parameters go to that file" in error
    assert not (here / "q.safetensors").exists()


def test_a_model_without_its_parameters_is_one_sentence(
    mbc: Command, mbc_opt: Command, here: Path
):
    (here / "model.py").write_text(MODEL)
    mbc("import", "model.py")
    (here / "model.safetensors").unlink()
    error = mbc_opt("model.mlir", "--target", "rvv", "-o", "out").complains()
    assert "model.safetensors" in error
    assert not (here / "out").exists()


@runs_rvv
@pytest.mark.parametrize("keys", [("arg0",), ()])
def test_run_takes_inputs_by_name_or_by_order(mbc: Command, model: Path, here, keys):
    named = dict.fromkeys(keys, X)
    np.savez(here / "in.npz", *([] if keys else [X]), **named)
    ended = mbc(
        *("run", model, "--target", "rvv", "--check"),
        *("--inputs", "in.npz", "--outputs", "out.npz"),
    )
    assert (ended.code, ended.err) == (0, "")
    assert "within their bounds" in ended.out
    with np.load(here / "out.npz") as outputs:
        np.testing.assert_array_equal(outputs["output0"], X + X)


@runs_rvv
def test_fortran_order_means_the_same(mbc: Command, model: Path, here: Path):
    np.savez(here / "in.npz", arg0=np.asfortranarray(X))
    arguments = ("--target", "rvv", "--inputs", "in.npz", "--outputs", "out.npz")
    assert mbc("run", model, *arguments).code == 0
    with np.load(here / "out.npz") as outputs:
        np.testing.assert_array_equal(outputs["output0"], X + X)


@runs_rvv
def test_an_artifact_runs_from_its_folder(
    mbc: Command, mbc_opt: Command, model: Path, here: Path
):
    np.savez(here / "in.npz", arg0=X)
    assert mbc_opt(model, "--target", "rvv", "-o", "artifact").code == 0
    ended = mbc("run", "artifact", "--inputs", "in.npz", "--outputs", "out.npz")
    assert (ended.code, ended.err) == (0, "")
    with np.load(here / "out.npz") as outputs:
        np.testing.assert_array_equal(outputs["output0"], X + X)


@runs_rvv
def test_a_wrong_result_is_four(
    mbc: Command, model: Path, here: Path, monkeypatch: pytest.MonkeyPatch
):
    from mbc import Artifact

    execute = Artifact.execute
    monkeypatch.setattr(
        Artifact, "execute", lambda self, given: [a + 1 for a in execute(self, given)]
    )
    np.savez(here / "in.npz", arg0=X)
    ended = mbc("run", model, "--target", "rvv", "--inputs", "in.npz", "--check")
    assert "outside their error bound" in ended.complains(code=4)


@runs_rvv
def test_tune_keeps_what_it_learned_and_resumes(mbc: Command, model: Path, here: Path):
    arguments = ("tune", model, "--target", "rvv", "--budget-measurements", "2")
    first = mbc(*arguments)
    assert first.code == 0
    assert "kernel 1 of 1" in first.err
    assert first.out.splitlines()[0].split()[:2] == ["kernel", "family"]
    manifest = json.loads((here / "m-rvv" / "manifest.json").read_text())
    assert manifest["provenance"].startswith("checked")
    count = len(mbc("kb", "ls").out.splitlines())
    again = mbc(*arguments)
    assert again.code == 0
    assert len(mbc("kb", "ls").out.splitlines()) == count


@runs_rvv
def test_interrupting_a_search_keeps_the_best(
    mbc: Command, model: Path, here: Path, monkeypatch: pytest.MonkeyPatch
):
    from mbc.agent.policies.heuristic import HeuristicPolicy

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(HeuristicPolicy, "propose", interrupt)
    ended = mbc("tune", model, "--target", "rvv", "-o", "out")
    assert ended.code == 130
    assert "interrupted; the best so far is saved" in ended.err
    assert (here / "out" / "manifest.json").exists()
    assert len(mbc("kb", "ls").out.splitlines()) == 3  # head, row, geometric mean


def test_progress_of_outcomes_in_words():
    from mbc.agent.loop import Budget
    from mbc.cli.progress import described

    def step(one: object, best: object, budget: Budget) -> SimpleNamespace:
        progress = SimpleNamespace(outcome=one, best=best, measured=7, budget=budget)
        return SimpleNamespace(label="k3", position=1, kernels=9, progress=progress)

    good = outcome(0, 0.5)
    assert described(step(good, good, Budget(60))) == (
        "kernel 2 of 9: k3 contract 7/60: improved 1.65x set-tile{sizes=8,8}; "
        "best 1.65x"
    )
    text = described(step(failure(1, "timeout"), None, Budget(seconds=3)))
    assert text.endswith("contract 7: timeout (it did not work) set-tile{sizes=8,8}")
