"""mbc-opt and passes: pipelines in both spellings, dumps, verification, reproducers."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_opt import CHAIN

FORWARD = CHAIN.replace("@f(", "@forward(")
ASSIGN = "assign-target{target=rvv}"
FAILING = "set-tile{kernel=k9 sizes=2}"
"""On a module without kernels."""


@pytest.mark.parametrize(
    "arguments",
    [
        ("-p", f"{ASSIGN},form-kernels"),
        ("--passes", f"{ASSIGN},form-kernels"),
        (f"--pass-pipeline=builtin.module({ASSIGN},form-kernels)",),
        ("--pass-pipeline", f"builtin.module( {ASSIGN},form-kernels )"),
    ],
)
def test_both_spellings_of_a_pipeline(mbc_opt: Command, arguments):
    ended = mbc_opt(*arguments, stdin=FORWARD)
    assert (ended.code, ended.err) == (0, "")
    assert 'mbc.kernel "k0"' in ended.out
    assert '#mbc.target<"rvv"' in ended.out


def test_text_between_passes_is_the_same_as_one_pipeline(mbc_opt: Command):
    once = mbc_opt("-p", f"{ASSIGN},form-kernels", stdin=FORWARD).out
    first = mbc_opt("-p", ASSIGN, stdin=FORWARD).out
    assert mbc_opt("-p", "form-kernels", stdin=first).out == once


def test_the_pipeline_can_be_shown(mbc_opt: Command):
    ended = mbc_opt("-p", f" {ASSIGN}", "--dump-pass-pipeline", stdin=FORWARD)
    assert ended.err == f"builtin.module({ASSIGN})\n"


def test_dumps_go_to_standard_error_only(mbc_opt: Command):
    plain = mbc_opt("-p", f"{ASSIGN},form-kernels", stdin=FORWARD)
    for option in ("--print-ir-after-all", "--mlir-print-ir-after-all"):
        ended = mbc_opt("-p", f"{ASSIGN},form-kernels", option, stdin=FORWARD)
        assert ended.out == plain.out
        assert ended.err.count("// -----// IR Dump After") == 2
        assert f"// -----// IR Dump After {ASSIGN} //----- //" in ended.err


def test_dumps_can_be_restricted(mbc_opt: Command):
    pipeline = f"{ASSIGN},{ASSIGN},form-kernels"
    for option, count in (
        ("--print-ir-after=form-kernels", 1),
        ("--print-ir-after=assign-target", 2),
        ("--print-ir-before-all", 3),
        ("--print-ir-after-change", 2),
    ):
        ended = mbc_opt("-p", pipeline, option, stdin=FORWARD)
        assert ended.err.count("// -----// IR Dump") == count, option


def test_dumps_after_an_unknown_pass_are_refused(mbc_opt: Command):
    error = mbc_opt("-p", ASSIGN, "--print-ir-after=form-kernel", stdin=FORWARD)
    assert "did you mean 'form-kernels'?" in error.complains()
    error = mbc_opt("-p", ASSIGN, "--print-ir-after", "nopass", stdin=FORWARD)
    assert "'nopass' does not refer to a registered pass" in error.complains()


def test_times_name_each_pass(mbc_opt: Command):
    ended = mbc_opt("-p", f"{ASSIGN},form-kernels", "--time-passes", stdin=FORWARD)
    names = [line.split()[-1] for line in ended.err.splitlines()]
    assert names == ["parse", ASSIGN, "form-kernels", "total"]


@pytest.mark.parametrize(
    ("pipeline", "words"),
    [
        ("nosuchpass", "'nosuchpass' does not refer to a registered pass"),
        ("form-kernel", "did you mean 'form-kernels'"),
        ("form-kernels{", "pipeline 'form-kernels{'"),
        ("form-kernels,,", "pipeline 'form-kernels,,'"),
        ("builtin.module(form-kernels", "pipeline"),
        ("assign-target{nosuch=1}", "assign-target has no argument 'nosuch'"),
        ("assign-target{target=1}", "target takes"),
        ("assign-target", "needs the argument 'target'"),
        ("assign-target{target=nosuch}", "registered targets: cuda, opencl, rvv"),
    ],
)
def test_a_bad_pipeline_is_one_sentence(mbc_opt: Command, pipeline: str, words: str):
    assert words in mbc_opt("-p", pipeline, stdin=FORWARD).complains()


def test_a_failing_pass_is_named_and_dumped(mbc_opt: Command, here: Path):
    (here / "x.mlir").write_text(CHAIN)
    ended = mbc_opt("x.mlir", "-p", f"{ASSIGN},{FAILING}", "--print-ir-after-all")
    assert (ended.code, ended.out) == (1, "")
    assert f"IR Dump After {FAILING} Failed" in ended.err
    diagnostic = ended.err.splitlines()[-2:]
    assert diagnostic[0].startswith("x.mlir: error: ")
    assert diagnostic[1] == f"note: in pass {FAILING}"


def test_a_reproducer_replays_the_failure(mbc_opt: Command, here: Path):
    option = "--pass-pipeline-crash-reproducer=r.mlir"
    error = mbc_opt("-p", f"{ASSIGN},{FAILING}", option, stdin=CHAIN).complains()
    assert "note: reproducer: r.mlir" in error
    text = (here / "r.mlir").read_text()
    assert text.startswith(f"// mbc-opt --run-reproducer: builtin.module({FAILING})\n")
    assert "#mbc.target" in text
    again = mbc_opt("--run-reproducer", "r.mlir").complains()
    assert (
        again.splitlines()[0].split("error:")[1]
        == error.splitlines()[0].split("error:")[1]
    )
    assert "no reproducer" in mbc_opt("--run-reproducer", stdin=CHAIN).complains()


def test_verification_after_each_pass_can_be_left_out(
    mbc_opt: Command, monkeypatch: pytest.MonkeyPatch
):
    from xdsl.dialects.builtin import ModuleOp

    from mbc.passes.form_kernels import FormKernelsPass

    def break_module(_: object, __: object, module: ModuleOp) -> None:
        block = module.body.block.first_op.regions[0].block  # pyright: ignore
        block.erase_op(block.last_op)

    monkeypatch.setattr(FormKernelsPass, "apply", break_module)
    error = mbc_opt("-p", "form-kernels", stdin=FORWARD).complains()
    assert "note: in pass form-kernels" in error
    ended = mbc_opt("-p", "form-kernels", "--no-verify-each", stdin=FORWARD)
    assert ended.code == 0


def test_every_pass_is_listed_in_one_line(mbc_opt: Command):
    from mbc.passes import PASSES

    lines = mbc_opt("--list-passes").out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(PASSES)
    assert all(len(line.split()) > 3 for line in lines)


def test_passes_are_listed_as_json_with_options_and_docstring(mbc_opt: Command):
    entries = {
        entry["name"]: entry
        for entry in json.loads(mbc_opt("--list-passes", "--json").out)
    }
    assert entries["assign-target"]["options"]["target"] == "str"
    assert "Before:" in entries["assign-target"]["docstring"]


def test_targets_are_listed_with_their_status(mbc_opt: Command):
    ended = mbc_opt("--list-targets")
    assert ended.code == 0
    for name in ("cuda", "opencl", "rvv"):
        (line,) = [one for one in ended.out.splitlines() if one.startswith(name)]
        assert line.split()[1] in ("ok", "emit-only")
