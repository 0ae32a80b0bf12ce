"""`mbc check`: all findings in one report, each kind of finding, and bad files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

ROOT = Path(__file__).parents[2]


def model(
    forward: str, inputs: str, init: str = "pass", arguments: str = "x, y=None"
) -> str:
    """A model file; `forward` and `init` are statements on lines of their own."""
    lines = "\n".join(f"        {line}" for line in forward.splitlines())
    made = "\n".join(f"        {line}" for line in init.splitlines())
    return (
        "import torch\n"
        "from torch import nn\n"
        "class Model(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        f"{made}\n"
        f"    def forward(self, {arguments}):\n"
        f"{lines}\n"
        f"def get_inputs():\n    return [{inputs}]\n"
    )


TWO = "torch.rand(3, 4), torch.rand(3, 4)"

FINDINGS = [
    ("return x + x.mean()", TWO, "", "warning", "no result depends on input 'y'"),
    (
        "return x + (y - y)",
        TWO,
        "",
        "warning",
        "no result depends on the values of input 'y'",
    ),
    ("return x + torch.rand(4)", "torch.rand(3, 4)", "", "warning", "rand.default"),
    (
        "m = x.amax(1, keepdim=True)\nreturn m - m.mean(1, keepdim=True)",
        "torch.rand(3, 4)",
        "",
        "warning",
        "every element of output 0 is 0 whatever the inputs are",
    ),
    (
        "return x, torch.zeros(3)",
        "torch.rand(3, 4)",
        "",
        "warning",
        "every element of output 1 is 0 whatever the inputs are",
    ),
    (
        "return x, self.c",
        "torch.rand(3)",
        "self.c = torch.arange(3.)",
        "warning",
        "output 1 is the same whatever the inputs are",
    ),
    ("return x[:, 4:]", "torch.rand(3, 4)", "", "warning", "output 0 has no element"),
    (
        "return torch.log(x - 0.5)",
        "torch.arange(2.)",
        "",
        "warning",
        "output 0: 1 of 2 elements are NaN",
    ),
    (
        "return 1 / x",
        "torch.arange(4.)",
        "",
        "warning",
        "output 0: 1 of 4 elements are infinite",
    ),
    (
        "return x * x",
        "torch.full((2,), 1e30)",
        "",
        "warning",
        "output 0: 2 of 2 elements are not finite where float64 is",
    ),
    (
        "return torch.cos(x * 1e6)",
        "torch.rand(64)",
        "",
        "warning",
        "output 0 loses more than half the digits of f32",
    ),
    (
        "return (x + 1e6) - 1e6",
        "torch.rand(64)",
        "",
        "warning",
        "output 0 loses more than half the digits of f32",
    ),
    (
        "return torch.floor(x).long()",
        "torch.arange(8.)",
        "",
        "warning",
        "one rounding decides",
    ),
    (
        "return x + 1",
        "torch.rand(4, 3).T",
        "",
        "note",
        "example input 0 is not contiguous (strides (1, 3))",
    ),
    (
        "return x + y",
        "*(torch.rand(3),) * 2",
        "",
        "note",
        "example inputs 0 and 1 share memory",
    ),
    ("return x * y", "torch.rand(3), 2.5", "", "note", "example input 1, 2.5, is part"),
    ("return x, x + 1", "torch.rand(3)", "", "note", "output 0 is input 'x' itself"),
    ("x += 1\nreturn x * 2", "torch.rand(3)", "", "note", "changes input 'x'"),
    (
        "self.n += 1\nreturn x * 2",
        "torch.rand(3)",
        "self.register_buffer('n', torch.zeros(()))",
        "note",
        "changes parameter 'n'",
    ),
    (
        "return x * 2",
        "torch.rand(3)",
        "self.p = nn.Parameter(torch.ones(3))",
        "note",
        "no result depends on parameter 'p'",
    ),
    (
        "return self.b(self.a(x))",
        "torch.rand(2, 4)",
        "self.a = nn.Linear(4, 4)\nself.b = self.a",
        "note",
        "parameter 'a.weight' is used under several names",
    ),
    (
        "return self.net(x)",
        "torch.rand(2, 4)",
        "self.net = nn.Sequential(nn.ReLU(), nn.Dropout())",
        "warning",
        "net.1: Dropout is in training mode in the file",
    ),
]


@pytest.mark.parametrize(
    ("forward", "inputs", "init", "severity", "words"),
    FINDINGS,
    ids=[row[4] for row in FINDINGS],
)
def test_each_finding_is_one_line(
    mbc: Command,
    here: Path,
    forward: str,
    inputs: str,
    init: str,
    severity: str,
    words: str,
):
    (here / "m.py").write_text(model(forward, inputs, init or "pass"))
    ended = mbc("check", "m.py")
    assert ended.code == 0
    (line,) = [line for line in ended.out.splitlines() if words in line]
    assert f": {severity}: " in line


def test_a_sound_model_has_no_findings(mbc: Command):
    ended = mbc("check", ROOT / "tests" / "models" / "mlp.py")
    assert ended.code == 0
    assert ended.out.splitlines() == [f"{ROOT}/tests/models/mlp.py: no findings"]


MANY = model(
    "b = torch.special.bessel_j0(self.drop(x)) + torch.special.airy_ai(x)\n"
    "return torch.special.bessel_j0(b) + torch.rand(4)",
    "torch.rand(3, 4), torch.rand(3)",
    "self.drop = nn.Dropout()",
)


def test_one_report_has_all_that_is_wrong(mbc: Command, here: Path):
    (here / "m.py").write_text(MANY)
    ended = mbc("check", "m.py")
    assert ended.code == 1
    bessel = "aten.special_bessel_j0.default is not supported"
    mode = "Dropout is in training mode in the file, and files are imported in"
    assert ended.out.splitlines() == [
        f"m.py:8: error: {bessel} (2 uses: m.py:8, m.py:9)",
        "m.py:8: error: aten.special_airy_ai.default is not supported",
        f"m.py: warning: drop: {mode} evaluation mode",
        "m.py:9: warning: aten.rand.default draws random numbers, which differ from "
        "call to call",
        "m.py: warning: no result depends on input 'y'",
        "m.py: 2 errors, 3 warnings",
    ]
    assert "Traceback" not in ended.err


def test_the_report_as_json(mbc: Command, here: Path):
    # What the file prints must not get into the report.
    (here / "m.py").write_text(f"print('hello')\n{MANY}")
    ended = mbc("check", "m.py", "--json")
    assert ended.code == 1
    report = json.loads(ended.out)
    assert (report["errors"], report["warnings"], report["notes"]) == (2, 3, 0)
    first = report["findings"][0]
    assert first["kind"] == "unsupported-operator"
    assert [place["line"] for place in first["places"]] == [9, 10]


BAD_FORWARD = [
    ("if x.sum() > 0:\n    return x\nreturn -x", "m.py:8", "torch.where"),
    ("return x @ x.reshape(5)", "m.py:8", "torch.export failed"),
    ("return self.nothing(x)", "m.py:8", "no attribute 'nothing'"),
    ("return torch.fft.fft(x).real", "m.py:8", "_fft_r2c.default is not supported"),
    ("return x[x > 0]", "m.py:8", "depends on data"),
]


@pytest.mark.parametrize(("forward", "place", "words"), BAD_FORWARD)
def test_what_stops_the_import_is_reported_with_the_rest(
    mbc: Command, here: Path, forward: str, place: str, words: str
):
    text = model(forward, "torch.rand(3, 4)", "self.drop = nn.Dropout()")
    (here / "m.py").write_text(text)
    ended = mbc("check", "m.py")
    assert ended.code == 1
    error = next(line for line in ended.out.splitlines() if ": error: " in line)
    assert error.startswith(place)
    assert words in error
    assert "drop: Dropout is in training mode" in ended.out


def test_inputs_of_strange_dtypes_are_reported_with_the_rest(mbc: Command, here: Path):
    inputs = "torch.ones(2, dtype=torch.complex64), torch.ones(2)"
    (here / "m.py").write_text(model("return torch.special.airy_ai(y), x.real", inputs))
    ended = mbc("check", "m.py")
    assert ended.code == 1
    assert "error: 'x': complex64 tensors are not supported" in ended.out
    assert "error: aten.special_airy_ai.default is not supported" in ended.out


GOOD = model("return x", "torch.rand(3)")
BAD_FILES = [
    ("class Model(:\n    pass\n", "m.py:1:13: error: m.py raised SyntaxError"),
    ("import nothing_of_the_kind\n", "m.py:1: error: m.py raised ModuleNotFoundError"),
    ("x = 1\n", "the file does not define Model or get_inputs"),
    (GOOD.replace("Model", "Net"), "the file does not define Model;"),
    (GOOD.replace("get_inputs", "inputs"), "the file does not define get_inputs;"),
    (GOOD.replace("torch.rand(3)", "1 / 0"), "get_inputs() raised ZeroDivisionError"),
    (GOOD.replace("pass", "self.a = b"), "m.py:6: error: Model() raised NameError"),
    (GOOD.replace("nn.Module", "object"), "Model is not a torch.nn.Module"),
    (
        GOOD.replace("[torch.rand(3)]", "3"),
        "get_inputs() raised TypeError: 'int' object is not",
    ),
    ("", "the file does not define Model or get_inputs"),
]


@pytest.mark.parametrize(("text", "words"), BAD_FILES)
def test_a_file_without_a_model_is_one_sentence(
    mbc: Command, here: Path, text: str, words: str
):
    (here / "m.py").write_text(text)
    assert words in mbc("check", "m.py").complains()


def test_a_missing_file_is_one_sentence(mbc: Command):
    assert "m.py: no such file" in mbc("check", "m.py").complains()


def test_a_folder_is_no_file(mbc: Command, here: Path):
    (here / "m.py").mkdir()
    assert "m.py" in mbc("check", "m.py").complains()


def test_a_binary_file_is_one_sentence(mbc: Command, here: Path):
    (here / "m.py").write_bytes(b"\x7fELF\x00\xff")
    assert "m.py" in mbc("check", "m.py").complains()


HUGE = model(
    "y = self.l(x).amax(1, keepdim=True) + self.n + self.h.sum() * 0\n"
    "return y - y.mean(1, keepdim=True)",
    "torch.rand(64, 65536)",
    "self.l = nn.Linear(65536, 65536)\nself.h = torch.randn(65536, 4096)\n"
    "self.n = INIT",
)
MEGABYTES = 1000


READS_BACK = "[v.item() for v in torch.linspace(0, 1, 3)][1]"


@pytest.mark.parametrize("init", ["1", READS_BACK])
def test_a_huge_model_takes_no_memory(here: Path, init: str):
    """17 GB of weights; the second constructor cannot be run on fake tensors."""
    (here / "m.py").write_text(HUGE.replace("INIT", init))
    code = (
        "import resource, sys\n"
        "from mbc.cli.main import main\n"
        "code = main(['check', 'm.py'])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
        "sys.exit(code)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    *report, peak = ended.stdout.splitlines()
    assert int(peak) < MEGABYTES
    words = "every element of output 0 is 0 whatever the inputs are"
    assert any(words in line and "smaller" in line for line in report), report
