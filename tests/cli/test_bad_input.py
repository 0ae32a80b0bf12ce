"""Whatever is wrong with the input: one sentence, its exit code, and nothing lost."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Command
from tests.cli.test_opt_passes import FORWARD

ROOT = Path(__file__).parents[2]

BAD_TEXT = {
    "func.func @f(": "Expected",
    "func.func @f() -> i32 { return %x : i32 }": "",
    "func.func @f(%a: f32) { %c = arith.addi %a, %a : f32\nreturn }": "",
    "func.func @f() { return } func.func @f() { return }": "",
    'func.func @f() { "foo.op"() : () -> () return }': "registered",
    "module attributes {mbc.version = 999 : i64} {}": "install a newer mbc",
    "}": "",
    "\x00\x01": "",
}


@pytest.mark.parametrize("text", BAD_TEXT)
def test_malformed_text_has_a_place(mbc_opt: Command, here: Path, text: str):
    (here / "x.mlir").write_text(text)
    error = mbc_opt("x.mlir").complains()
    assert error.startswith("x.mlir:")
    assert BAD_TEXT[text] in error
    assert "bug" not in error


def one_op(op: str) -> str:
    return f"func.func @f(%a: tensor<2xf32>) {{\n  %b = {op}\n  return\n}}"


CONVERTERS = {
    "stablehlo.add %a, %a : tensor<2xf32>": "stablehlo-opt --stablehlo-legalize-to-li",
    '"tosa.const_shape"() {values = dense<1> : tensor<1xindex>} : () -> index': (
        "mlir-opt --tosa-to-linalg-pipeline"
    ),
    "tosa.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>": (
        "mlir-opt --tosa-to-linalg-pipeline"
    ),
    "torch.aten.tanh %a : tensor<2xf32>": "torch-mlir-opt --torch-backend-to-linalg",
}


@pytest.mark.parametrize("op", CONVERTERS)
def test_another_dialect_is_refused_with_its_converter(
    mbc_opt: Command, here: Path, op: str
):
    (here / "x.mlir").write_text(one_op(op))
    error = mbc_opt("x.mlir", "--target", "rvv").complains()
    assert error.startswith("x.mlir:2:")
    assert CONVERTERS[op] in error


def test_a_type_error_shows_line_and_caret(mbc_opt: Command, here: Path):
    lines = ["// first", "func.func @f(%a : f32) -> f32 {"]
    lines += ["  %c = arith.addi %a, %a : f32", "  return %c : f32", "}"]
    (here / "x.mlir").write_text("\n".join(lines))
    place, source, caret = mbc_opt("x.mlir").complains().splitlines()
    number = int(place.split(":")[1])
    assert source == lines[number - 1]
    assert caret.strip() == "^"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nofile.mlir",), "cannot open input file 'nofile.mlir': No such file or"),
        ((".",), "cannot open input file '.': Is a directory"),
        (("binary.mlir",), "input file 'binary.mlir' is not text"),
        (("x.mlir", "-o", "/nonexistent/y"), "cannot write '/nonexistent/y'"),
        (
            ("x.mlir", "--target", "nosuch"),
            "target 'nosuch' not registered; registered targets: cuda, opencl, rvv",
        ),
        (("x.mlir", "--target", "rvv{vlen=77}"), "vlen = 77 is not one of"),
        (("x.mlir", "--target", "rvv{nosuch=1}"), "has no option 'nosuch'"),
        (("x.mlir", "--target", "rvv{vlen=512"), "write it like rvv or rvv{vlen=512}"),
        (("x.mlir", "--target", "rvv", "--target-option", "vlen"), "name=value"),
    ],
)
def test_bad_arguments_of_mbc_opt(mbc_opt: Command, here: Path, arguments, words: str):
    (here / "x.mlir").write_text(FORWARD)
    (here / "binary.mlir").write_bytes(b"\xff\xfe\x00")
    assert words in mbc_opt(*arguments).complains()
    assert sorted(p.name for p in here.iterdir()) == ["binary.mlir", "x.mlir"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--taget", "rvv"), "did you mean --target?"),
        (("x.mlir", "y.mlir"), "unrecognized arguments: y.mlir"),
        (("--target-option", "vlen=512"), "--target-option needs --target"),
        (("--target", "rvv", "-o", "out/"), "give the input as a file"),
        (("x", "--target", "rvv", "-o", "out/", "--split-input-file"), "no folder"),
        (("--run-reproducer", "-p", "cse"), "leave -p out"),
    ],
)
def test_wrong_usage_of_mbc_opt_is_two(mbc_opt: Command, arguments, words: str):
    error = mbc_opt(*arguments).complains(code=2)
    assert words in error
    assert len(error.splitlines()) == 1


@pytest.fixture
def model(here: Path) -> Path:
    (here / "m.mlir").write_text(FORWARD)
    return here / "m.mlir"


GOOD = np.ones((4, 8), np.float32)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (
            {"arg0": GOOD[:3]},
            "float32 [3, 8], the model takes float32 [4, 8]",
        ),
        ({"arg0": GOOD.astype(np.float64)}, "'arg0' is float64 [4, 8]"),
        ({"arg0": GOOD[0, 0]}, "'arg0' is float32 []"),
        ({"arg0": GOOD != 0}, "'arg0' is bool [4, 8]"),
        ({"x": GOOD}, "in.npz has x; the model takes arg0"),
        ({"arr_0": GOOD, "arr_1": GOOD}, "in.npz has arr_0, arr_1; the model takes"),
        ({}, "in.npz has nothing; the model takes arg0"),
        ({"arg0": np.array([None])}, "not an .npz file of plain arrays"),
    ],
)
def test_wrong_inputs_of_a_run(mbc: Command, model: Path, here: Path, arrays, words):
    np.savez(here / "in.npz", **arrays)
    arguments = ("--target", "rvv", "--inputs", "in.npz", "--outputs", "out.npz")
    assert words in mbc("run", model, *arguments).complains()
    assert not (here / "out.npz").exists()


@pytest.mark.parametrize("content", [None, b"", b"nonsense", b"PK\x03\x04nonsense"])
def test_input_files_that_are_none(mbc: Command, model: Path, here: Path, content):
    if content is not None:
        (here / "in.npz").write_bytes(content)
    error = mbc("run", model, "--target", "rvv", "--inputs", "in.npz").complains()
    assert "in.npz" in error
    assert "bug" not in error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "nofile.mlir", "--target", "rvv", "--inputs", "i"), "nofile.mlir"),
        (("run", "m.mlir", "--target", "nosuch", "--inputs", "i"), "not registered"),
        (("run", ".", "--inputs", "i"), "manifest.json"),
        (("tune", "nofile.mlir", "--target", "rvv"), "nofile.mlir"),
        (("tune", "m.mlir", "--target", "nosuch"), "not registered"),
        (("tune", "m.mlir", "--target", "rvv", "-o", "/proc/x"), "'/proc/x'"),
        (("tune", "m.mlir", "--target", "rvv", "-o", "m.mlir"), "not a folder"),
        (("tune", "m.mlir", "--target", "rvv", "--kb", "m.mlir"), "knowledge base"),
        (("tune", "m.mlir", "--target", "rvv", "--budget-seconds", "-1"), "negative"),
        (("tune", "m.mlir", "--target", "rvv", "--budget-seconds", "nan"), "nan"),
        (("run", "b.mlir", "--target", "rvv", "--inputs", "i"), "is not text"),
        (("tune", "b.mlir", "--target", "rvv"), "is not text"),
        (("verify", "-", "--kernel", "b.mlir:k0", "--target", "rvv"), "is not text"),
        (("import", "."), "no such file"),
        (("kb", "import", "nope.jsonl"), "from nope.jsonl: No such file or directory"),
        (("kb", "import", "b.mlir"), "from b.mlir: not text"),
    ],
)
def test_bad_arguments_of_mbc(mbc: Command, model: Path, arguments, words: str):
    model.with_name("b.mlir").write_bytes(b"\xff\xfe\x00")
    error = mbc(*arguments).complains()
    assert words in error
    assert "bug" not in error
    assert model.read_text() == FORWARD


@pytest.mark.parametrize(
    "option", [("--target", "rvv"), ("--target-option", "vlen=512")]
)
def test_an_artifact_takes_no_other_target(mbc: Command, here: Path, option):
    (here / "artifact").mkdir()
    error = mbc("run", "artifact", *option, "--inputs", "i").complains(code=2)
    assert "leave --target out" in error


def test_models_in_python_that_cannot_be_imported(mbc: Command, here: Path):
    assert "nofile.py" in mbc("import", "nofile.py").complains()
    (here / "bad.py").write_text("def get_inputs(:\n")
    error = mbc("import", "bad.py", "-o", "bad.mlir").complains()
    assert error.startswith("bad.py:1:")
    (here / "empty.py").write_text("")
    assert "does not define Model" in mbc("import", "empty.py").complains()
    assert not (here / "bad.mlir").exists()


def test_a_missing_toolchain_is_three_and_says_what_installs_it(
    model: Path, here: Path
):
    (here / "bin").mkdir()
    np.savez(here / "in.npz", arg0=GOOD)
    environment = os.environ | {"PATH": str(here / "bin"), "PYTHONPATH": str(ROOT)}
    for arguments in (("tune", "m.mlir"), ("run", "m.mlir", "--inputs", "in.npz")):
        done = subprocess.run(
            [sys.executable, "-m", "mbc.cli.main", *arguments, "--target", "rvv"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 3, done.stderr
        assert "install: apt-get install" in done.stderr
        assert len(done.stderr.splitlines()) == 1
