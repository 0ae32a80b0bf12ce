"""`mbc verify`: the gates for a person who wrote a kernel by hand."""

import json
from pathlib import Path

import pytest

from mbc.runtime.outcome import Available
from mbc.runtime.runner import runner_for
from tests.cli.conftest import Command
from tests.ir.samples import module_of
from tests.runtime.gates.kernels import KERNELS, RIGHT, WRONG, text

pytestmark = pytest.mark.skipif(
    not isinstance(runner_for("rvv").availability(), Available),
    reason="this machine cannot run RVV programs",
)
ARGUMENTS = ("--kernel", "m.mlir:k0", "--target", "rvv")


@pytest.fixture
def written(here: Path) -> Path:
    (here / "m.mlir").write_text(str(module_of(*KERNELS["map"])))
    (here / "k.c").write_text(text("rvv", RIGHT))
    return here / "k.c"


def test_a_right_kernel_is_zero(mbc: Command, written: Path):
    ended = mbc("verify", written, *ARGUMENTS)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("k0 on rvv: accepted\n")


def test_a_wrong_result_is_four(mbc: Command, written: Path):
    written.write_text(text("rvv", WRONG["one off"]))
    ended = mbc("verify", written, *ARGUMENTS, "--json")
    assert ended.code == 4
    document = json.loads(ended.out)
    assert document["conclusion"] == "verify_fail"
    assert document["gates"][-1]["gate"] == "G2"


@pytest.mark.parametrize("source", ["void k1(float *r0) {}", "void k0(", "int k0;"])
def test_what_does_not_build_is_one(mbc: Command, written: Path, source: str):
    written.write_text(source)
    ended = mbc("verify", written, *ARGUMENTS)
    assert ended.code == 1
    assert "compile_fail" in ended.out


def test_a_dash_verifies_the_emitted_kernel(mbc: Command, written: Path):
    ended = mbc("verify", "-", *ARGUMENTS, "--where", "N0 % 4 == 1")
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--kernel", "m.mlir:k7"), "no kernel is labelled 'k7'; kernels here: k0"),
        (("--kernel", "m.mlir"), "names no kernel"),
        (("--numerics", "exact"), "is no numerics class"),
        (("--where", "N0"), "is no condition"),
        (("--target", "vax"), "not registered"),
    ],
)
def test_bad_arguments_are_one_line(mbc: Command, written: Path, arguments, complaint):
    assert complaint in mbc("verify", written, *ARGUMENTS, *arguments).complains()


def test_missing_and_empty_sources_are_one_line(mbc: Command, written: Path):
    assert "cannot open" in mbc("verify", "no.c", *ARGUMENTS).complains()
    written.write_text(" \n")
    assert "is empty" in mbc("verify", written, *ARGUMENTS).complains()


def test_no_extents_are_named(mbc: Command, written: Path):
    ended = mbc("verify", "-", *ARGUMENTS, "--where", "N0 > 100000")
    assert ended.code == 1
    assert "no extents satisfy the predicate N0 > 100000" in ended.out
