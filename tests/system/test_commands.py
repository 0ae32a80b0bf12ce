"""Every line of the README's usage, as a user types it, in an empty folder."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mbc.runtime.outcome import Available
from mbc.runtime.runner import runner_for

ROOT = Path(__file__).parent.parent.parent
MODEL = ROOT / "tests" / "models" / "mlp.py"
SCRIPTS = Path(sys.executable).parent


def runs(target: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        not isinstance(runner_for(target).availability(), Available),
        reason=f"this machine cannot run {target} programs",
    )


class Shell:
    """Installed commands in one folder, with a cache and knowledge of their own."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = os.environ | {"MBC_KB": str(folder / "kb.db")}

    def start(self, command: str, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(SCRIPTS / command), *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __call__(self, command: str, *arguments: object) -> str:
        """What it prints; the test fails if it does not succeed."""
        process = self.start(command, *arguments)
        out, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors
        self.errors = errors
        return out


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A folder with the imported model in it."""
    if not (SCRIPTS / "mbc").exists():
        pytest.skip("the commands are not installed beside this Python")
    shell = Shell(tmp_path_factory.mktemp("commands"))
    shell("mbc", "import", MODEL, "-o", "mlp.mlir")
    return shell


def test_import_writes_the_model_and_its_parameters(shell: Shell):
    assert "mbc.parameter" in (shell.folder / "mlp.mlir").read_text()
    assert (shell.folder / "mlp.safetensors").stat().st_size > 4 * 32 * 64


@pytest.mark.parametrize(
    ("target", "word"),
    [("rvv", "riscv_vector.h"), ("opencl", "__kernel"), ("cuda", "__global__")],
)
def test_a_target_prints_its_source(shell: Shell, target: str, word: str):
    assert word in shell("mbc-opt", "mlp.mlir", "--target", target)


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_a_folder_gets_files_and_a_manifest(shell: Shell, target: str):
    shell("mbc-opt", "mlp.mlir", "--target", target, "-o", f"{target}-out")
    folder = shell.folder / f"{target}-out"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["target"] == target
    assert manifest["provenance"] == "unverified"
    assert (folder / manifest["source"]).stat().st_size > 0


def test_a_pipeline_prints_the_ir_after_each_pass(shell: Shell):
    pipeline = "form-kernels,fuse-elementwise,set-tile{kernel=k3 sizes=8,64}"
    out = shell("mbc-opt", "mlp.mlir", "-p", pipeline, "--print-ir-after-all")
    assert "tile = array<i64: 8, 64>" in out
    for name in ("form-kernels", "fuse-elementwise", "set-tile"):
        assert f"IR Dump After {name}" in shell.errors


@runs("rvv")
def test_tune_then_kb_best_and_replay(shell: Shell):
    command = ("mbc", "tune", "mlp.mlir", "--target", "rvv", "--budget-measurements")
    out = shell(*command, 4)
    assert "contract" in out
    assert "modelled" in out
    manifest = json.loads((shell.folder / "mlp-rvv" / "manifest.json").read_text())
    assert manifest["provenance"].startswith("checked")
    assert len(shell("mbc", "kb", "ls").splitlines()) == 4
    best = shell("mbc", "kb", "best", "--target", "rvv")
    assert best.split()[:2] in (["target", "family"], ["nothing", "yet"])
    pipeline = manifest["pipeline"]
    shell("mbc-opt", "mlp.mlir", "--target", "rvv", "-p", pipeline, "-o", "replayed")
    for name in ("model.c", "model.h", "main.c", "weights.bin"):
        tuned, replayed = (shell.folder / f / name for f in ("mlp-rvv", "replayed"))
        assert tuned.read_bytes() == replayed.read_bytes()


@runs("opencl")
def test_run_checks_and_writes_what_torch_computes(shell: Shell):
    import torch

    from tests.models.mlp import Model, get_init_inputs, get_inputs

    (x,) = get_inputs()
    np.savez(shell.folder / "in.npz", x.numpy())
    out = shell(
        *("mbc", "run", "mlp.mlir", "--target", "opencl"),
        *("--inputs", "in.npz", "--outputs", "out.npz", "--check"),
    )
    assert "80 elements within their bounds" in out
    with torch.no_grad():
        wanted = Model(*get_init_inputs())(x).numpy()
    with np.load(shell.folder / "out.npz") as found:
        np.testing.assert_allclose(found["output0"], wanted, rtol=1e-4, atol=1e-5)


def test_doctor_shows_every_target(shell: Shell):
    out = shell("mbc", "doctor")
    for word in ("rvv", "opencl", "cuda", "isolation", "knowledge"):
        assert word in out


def test_stock_xdsl_opt_knows_the_passes_and_reads_what_is_printed(shell: Shell):
    pipeline = "form-kernels,fuse-elementwise"
    printed = shell("xdsl-opt", "mlp.mlir", "-p", pipeline)
    (shell.folder / "kernels.mlir").write_text(printed)
    assert printed == shell("xdsl-opt", "kernels.mlir")
    assert "mbc.kernel" in printed
    ours = shell("mbc-opt", "mlp.mlir", "-p", pipeline)
    (shell.folder / "ours.mlir").write_text(ours)
    assert shell("xdsl-opt", "ours.mlir") == printed


def outcomes(path: Path) -> list[str]:
    """Ids of what is in an intact knowledge base."""
    database = sqlite3.connect(path)
    try:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
        rows = database.execute("select id, pipeline from outcome").fetchall()
    except sqlite3.OperationalError:
        return []  # killed before it had tables
    finally:
        database.close()
    return [id for id, _ in rows]


@runs("rvv")
def test_a_killed_search_resumes(shell: Shell, tmp_path: Path):
    path = tmp_path / "killed.db"
    command = ("mbc", "tune", "mlp.mlir", "--target", "rvv", "--kb", path, "-o")
    process = shell.start(*command, tmp_path / "a", "--budget-measurements", 200)
    # After its first outcome, at any moment of the search.
    while process.poll() is None and not (path.exists() and outcomes(path)):
        time.sleep(0.05)
    time.sleep(random.uniform(0, 1.5))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    before = outcomes(path)
    assert before
    shell(*command, tmp_path / "b", "--budget-measurements", 3)
    after = outcomes(path)
    assert set(before) <= set(after)
    assert len(after) <= len(before) + 3
    assert (tmp_path / "b" / "manifest.json").exists()
