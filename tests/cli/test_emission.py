"""mbc-opt --target: source on standard output or a folder of files, hermetically."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_opt_passes import FORWARD

MARKS = {"rvv": "#include <riscv_vector.h>", "opencl": "__kernel", "cuda": "__global__"}


@pytest.mark.parametrize("target", MARKS)
def test_source_goes_to_standard_output(mbc_opt: Command, target: str):
    ended = mbc_opt("--target", target, stdin=FORWARD)
    assert (ended.code, ended.err) == (0, "")
    assert MARKS[target] in ended.out
    assert mbc_opt("--target", target, stdin=FORWARD).out == ended.out


def test_source_of_a_host_target_is_self_contained(mbc_opt: Command):
    out = mbc_opt("--target", "rvv", stdin=FORWARD).out
    assert "model_forward" in out
    assert '#include "' not in out


def test_no_tool_is_needed(
    mbc_opt: Command, here: Path, monkeypatch: pytest.MonkeyPatch
):
    expected = mbc_opt("--target", "rvv", stdin=FORWARD).out
    monkeypatch.setenv("PATH", str(here))
    assert mbc_opt("--target", "rvv", stdin=FORWARD).out == expected


def test_options_of_a_target_in_both_spellings(mbc_opt: Command):
    inside = mbc_opt("--target", "rvv{vlen=512}", "--dump-pass-pipeline", stdin=FORWARD)
    beside = mbc_opt(
        *("--target", "rvv", "--target-option", "vlen=512", "--dump-pass-pipeline"),
        stdin=FORWARD,
    )
    assert inside == beside
    assert 'assign-target{target=rvv option="vlen=512"}' in inside.err


def test_given_passes_replace_the_default_ones(mbc_opt: Command):
    ended = mbc_opt(
        *("--target", "opencl", "-p", "form-kernels", "--dump-pass-pipeline"),
        stdin=FORWARD,
    )
    assert ended.code == 0
    assert ended.err == "builtin.module(assign-target{target=opencl},form-kernels)\n"


def test_dumps_show_each_pass_of_the_default_pipeline(mbc_opt: Command):
    ended = mbc_opt("--target", "rvv", "--print-ir-after=form-kernels", stdin=FORWARD)
    assert ended.err.count("IR Dump After form-kernels") == 1
    assert "mbc.kernel" in ended.err


@pytest.mark.parametrize("folder", ["out/", "out", "existing.d"])
def test_a_folder_gets_all_files_and_a_manifest(
    mbc_opt: Command, here: Path, folder: str
):
    (here / "existing.d").mkdir()
    (here / "x.mlir").write_text(FORWARD)
    ended = mbc_opt("x.mlir", "--target", "opencl", "-o", folder)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    manifest = json.loads((here / folder / "manifest.json").read_text())
    assert manifest["target"] == "opencl"
    assert manifest["provenance"] == "unverified"
    assert "form-kernels" in manifest["pipeline"]
    assert (here / folder / manifest["source"]).exists()


def test_a_file_with_a_suffix_gets_the_source(mbc_opt: Command, here: Path):
    assert mbc_opt("--target", "rvv", "-o", "k.c", stdin=FORWARD).code == 0
    assert MARKS["rvv"] in (here / "k.c").read_text()


def test_parts_of_a_split_input_are_emitted_one_by_one(mbc_opt: Command):
    text = f"{FORWARD}// -----\nnonsense\n// -----\n{FORWARD}"
    ended = mbc_opt("--target", "cuda", "--split-input-file", stdin=text)
    assert ended.code == 1
    assert ended.out.count("// -----") == 1
    assert ended.err.count("error:") == 1


def test_zero_extents_are_accepted(mbc_opt: Command):
    text = FORWARD.replace("4x8", "0x8")
    for target in MARKS:
        assert mbc_opt("--target", target, stdin=text).code == 0
