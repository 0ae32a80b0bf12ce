"""A lowered model: reproducible, right, and the same after it was saved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

import mbc
from mbc.errors import InvalidInput
from mbc.ir.text import parse_module
from tests.api.conftest import RunnerOn
from tests.api.models import Mlp, imported_mlp, mlp_inputs

EMITTED = ("rvv", "opencl", "cuda")
RUN = ("rvv", "opencl")
Lowered = Callable[[str], mbc.Artifact]


@pytest.fixture(scope="module")
def module() -> mbc.Module:
    return imported_mlp()


@pytest.fixture(scope="module")
def lowered(module: mbc.Module, runner_on: RunnerOn) -> Lowered:
    """The MLP on a target that can run."""

    def lower(target: str) -> mbc.Artifact:
        artifact = mbc.lower(module, target=target)
        artifact.use_runner(runner_on(target))
        return artifact

    return lower


def expected() -> np.ndarray:
    with torch.no_grad():
        return Mlp().eval()(*mlp_inputs()).numpy()


def near(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", EMITTED)
def test_lowering_twice_gives_the_same_bytes(module: mbc.Module, target: str):
    first, second = (mbc.lower(module, target=target) for _ in range(2))
    assert first.sources == second.sources
    assert json.dumps(first.manifest) == json.dumps(second.manifest)
    assert first.ir == second.ir


@pytest.mark.parametrize("target", EMITTED)
def test_what_nothing_checked_says_unverified(module: mbc.Module, target: str):
    assert mbc.lower(module, target=target).manifest["provenance"] == "unverified"


def test_lowering_leaves_the_module_as_it_was(module: mbc.Module):
    before = module.text
    mbc.lower(module, target="rvv")
    assert module.text == before


@pytest.mark.parametrize("target", RUN)
def test_run_gives_arrays(lowered: Lowered, target: str):
    (found,) = lowered(target).run(*mlp_inputs())
    near(found, expected())


@pytest.mark.parametrize("target", RUN)
def test_a_call_with_tensors_gives_a_tensor(lowered: Lowered, target: str):
    found = lowered(target)(*mlp_inputs())
    assert isinstance(found, torch.Tensor)
    near(found.numpy(), expected())


@pytest.mark.parametrize("target", RUN)
def test_a_call_with_arrays_gives_an_array(lowered: Lowered, target: str):
    found = lowered(target)(*(x.numpy() for x in mlp_inputs()))
    assert isinstance(found, np.ndarray)
    near(found, expected())


@pytest.mark.parametrize("target", RUN)
def test_a_saved_artifact_is_the_same(lowered: Lowered, target: str, tmp_path: Path):
    artifact = lowered(target)
    artifact.save(tmp_path)
    loaded = mbc.load(tmp_path)
    assert loaded.sources == artifact.sources
    assert loaded.manifest == artifact.manifest
    loaded.use_runner(artifact.runner())
    np.testing.assert_array_equal(
        loaded.run(*mlp_inputs()), artifact.run(*mlp_inputs())
    )


@pytest.mark.parametrize("target", EMITTED)
def test_sources_on_disk_are_the_sources(
    module: mbc.Module, target: str, tmp_path: Path
):
    artifact = mbc.lower(module, target=target)
    artifact.save(tmp_path)
    for name, text in artifact.sources.items():
        assert (tmp_path / name).read_text() == text


def sentence(folder: Path) -> str:
    with pytest.raises(InvalidInput) as raised:
        mbc.load(folder)
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_a_newer_manifest_is_refused(module: mbc.Module, tmp_path: Path):
    mbc.lower(module, target="opencl").save(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    newer = json.dumps({**manifest, "version": 99})
    (tmp_path / "manifest.json").write_text(newer)
    assert "version 99 is newer than this mbc reads" in sentence(tmp_path)


FILES = ("manifest.json", "model.cl", "model.mlir", "weights.safetensors")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_one_sentence(module: mbc.Module, tmp_path: Path, name: str):
    mbc.lower(module, target="opencl").save(tmp_path)
    (tmp_path / name).unlink()
    assert name in sentence(tmp_path)


@pytest.mark.parametrize("name", ["manifest.json", "weights.safetensors"])
def test_a_damaged_file_is_one_sentence(module: mbc.Module, tmp_path: Path, name: str):
    mbc.lower(module, target="opencl").save(tmp_path)
    (tmp_path / name).write_bytes(b"{not this")
    assert name in sentence(tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        [],
        3,
        {},
        {"version": 1},
        {"version": "1"},
        {"source": 3},
        {"target": []},
        {"signature": {"inputs": {}}},
        {"forward": {}},
        {"kernels": [3]},
        {"prepare": 3},
    ],
)
def test_other_json_is_no_manifest(module: mbc.Module, tmp_path: Path, changed):
    mbc.lower(module, target="opencl").save(tmp_path)
    file = tmp_path / "manifest.json"
    whole = json.loads(file.read_text())
    small = not isinstance(changed, dict) or changed in ({}, {"version": 1})
    file.write_text(json.dumps(changed if small else {**whole, **changed}))
    assert "manifest.json: not a manifest of mbc" in sentence(tmp_path)


@pytest.mark.parametrize("name", ["manifest.json", "model.cl", "model.mlir"])
def test_a_file_that_is_not_text_is_one_sentence(
    module: mbc.Module, tmp_path: Path, name: str
):
    mbc.lower(module, target="opencl").save(tmp_path)
    (tmp_path / name).write_bytes(b"\xff\xfe\x00")
    assert f"{name}' is not text" in sentence(tmp_path)


def test_a_module_with_a_signature_is_parsed_once(
    module: mbc.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    module.save(tmp_path / "m.mlir")
    parsed: list[str] = []

    def counting(text: str, file: str) -> ModuleOp:
        parsed.append(file)
        return parse_module(text, file)

    monkeypatch.setattr("mbc.api.module.parse_module", counting)
    monkeypatch.setattr("mbc.frontend.store.parse_module", counting)
    assert mbc.Module.load(tmp_path / "m.mlir").signature == module.signature
    assert parsed == [str(tmp_path / "m.mlir")]


def test_parameters_never_replace_the_text(module: mbc.Module, tmp_path: Path):
    with pytest.raises(InvalidInput, match="its parameters go to that file"):
        module.save(tmp_path / "q.safetensors")
    assert list(tmp_path.iterdir()) == []


def test_saving_where_nothing_can_be_written_is_one_sentence(
    module: mbc.Module, tmp_path: Path
):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="cannot write"):
        mbc.lower(module, target="opencl").save(tmp_path / "file" / "folder")


@pytest.mark.parametrize("target", RUN)
def test_an_artifact_passes_its_check(
    lowered: Lowered, module: mbc.Module, target: str
):
    (name,) = module.signature.input_values(mlp_inputs())
    report = mbc.check(lowered(target), module, {name: mlp_inputs()[0]})
    assert report.passed
    assert "21 elements" in report.text


@pytest.mark.parametrize("target", RUN)
def test_another_models_artifact_fails_the_check(
    lowered: Lowered, module: mbc.Module, target: str
):
    artifact = lowered(target)
    weights = {name: 1.01 * array for name, array in artifact.parameters.items()}
    wrong = mbc.Module(module.op, weights, module.signature)
    (name,) = module.signature.input_values(mlp_inputs())
    assert not mbc.check(artifact, wrong, {name: mlp_inputs()[0]}).passed
