"""mbc-opt as a user of mlir-opt expects it: files, streams, listings, text."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MBC_OPT = f"{sys.executable} -m mbc.cli.opt"

CHAIN = """\
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
"""


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_no_argument_and_dash_read_standard_input(mbc_opt, arguments):
    ended = mbc_opt(*arguments, stdin="module {}")
    assert (ended.code, ended.err) == (0, "")
    assert "module" in ended.out


def test_what_is_printed_reads_back_the_same(mbc_opt):
    once = mbc_opt(stdin=CHAIN).out
    assert "arith.addf" in once
    assert mbc_opt(stdin=once).out == once


@pytest.mark.parametrize("text", ["", " \n", "// a comment\n", "module {\n}\n"])
def test_empty_input_is_an_empty_module(mbc_opt, text):
    ended = mbc_opt(
        "--print-ir-before-all", "--print-ir-after-all", "--time-passes", stdin=text
    )
    assert ended.code == 0
    assert ended.out == "builtin.module {\n}\n"


def test_special_floats_survive(mbc_opt):
    text = """
      func.func @f() -> (tensor<3xf32>, tensor<f32>, tensor<2xbf16>) {
        %a = arith.constant dense<[0xFF800000, 0x7FC00000, 1.0]> : tensor<3xf32>
        %b = arith.constant dense<0xFF800000> : tensor<f32>
        %d = arith.constant dense<[0xFF80, 0x3F80]> : tensor<2xbf16>
        return %a, %b, %d : tensor<3xf32>, tensor<f32>, tensor<2xbf16>
      }"""
    out = mbc_opt(stdin=text).out
    for bits in ("000080FF0000C07F0000803F", '"0x000080FF"', "80FF803F"):
        assert bits in out


def test_generic_form_and_locations(mbc_opt):
    ended = mbc_opt("--mlir-print-op-generic", "--print-debuginfo", stdin=CHAIN)
    assert '"arith.addf"' in ended.out
    assert 'loc("<stdin>":7:' in ended.out


def test_unregistered_operations_are_accepted_on_demand(mbc_opt):
    text = 'func.func @f() { "foo.op"() : () -> () loc("model.py":3:7) return }'
    assert "--allow-unregistered-dialect" in mbc_opt(stdin=text).complains()
    flag = "--allow-unregistered-dialect"
    ended = mbc_opt(flag, "--print-debuginfo", stdin=text)
    assert ended.code == 0
    assert '"foo.op"() : () -> () loc("model.py":3:7)' in ended.out


def test_split_input_goes_on_after_a_bad_part(mbc_opt):
    text = "func.func @a() { return }\n// -----\nfunc.func @x(\n// -----\n"
    ended = mbc_opt("--split-input-file", stdin=text + "func.func @b() { return }\n")
    assert ended.code == 1
    assert re.match(r"<stdin>:[34]:\d+: error:", ended.err)
    assert len(ended.err.splitlines()) == 3
    assert ended.out.index("@a") < ended.out.index("// -----") < ended.out.index("@b")


def test_output_file_replaces_and_keeps_links(mbc_opt, here: Path):
    (here / "real.mlir").write_text("old")
    (here / "link.mlir").symlink_to("real.mlir")
    ended = mbc_opt("-o", "link.mlir", stdin="module {}")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert (here / "real.mlir").read_text() == "builtin.module {\n}\n"
    assert (here / "link.mlir").is_symlink()
    assert sorted(path.name for path in here.iterdir()) == ["link.mlir", "real.mlir"]


def test_devices_are_written_to_and_not_replaced(mbc_opt):
    assert mbc_opt("-o", "/dev/null", stdin="module {}").code == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_failure_leaves_the_old_output(mbc_opt, here: Path):
    (here / "y.mlir").write_text("old")
    mbc_opt("-o", "y.mlir", stdin="nonsense").complains()
    assert (here / "y.mlir").read_text() == "old"


def test_help_is_short_and_complete(mbc_opt):
    ended = mbc_opt("--help")
    assert ended.code == 0
    assert len(ended.out.splitlines()) < 80
    for option in ("--target", "--pass-pipeline", "--list-passes", "-o FILE"):
        assert option in ended.out


def test_version(mbc_opt):
    assert re.match(r"mbc-opt \d+\.\d+\.\d+ \(xdsl ", mbc_opt("--version").out)


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", code.replace("mbc-opt", MBC_OPT)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_closed_pipe_is_quiet(here: Path):
    many = "".join(f"func.func @f{i}() {{ return }}\n" for i in range(2000))
    (here / "x.mlir").write_text(many)
    done = run("mbc-opt x.mlir | head -1", PYTHONPATH=str(ROOT))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "builtin.module {\n"


def test_a_full_disk_is_one_sentence():
    done = run("echo 'module {}' | mbc-opt > /dev/full", PYTHONPATH=str(ROOT))
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


def test_no_color_without_a_terminal():
    done = run("mbc-opt --help", NO_COLOR="1", PYTHONPATH=str(ROOT))
    assert "\x1b" not in done.stdout


def test_start_up_loads_nothing_heavy(here: Path):
    (here / "x.mlir").write_text(CHAIN)
    code = (
        "import sys; from mbc.cli.opt import main; code = main(['x.mlir']);"
        "heavy = {'torch', 'pyopencl', 'anthropic', 'matplotlib'};"
        "sys.exit(code or len(heavy & set(sys.modules)))"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
