"""Small texts that tools of this kind have read, folded or refused wrongly."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbc
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for
from tests.cli.conftest import Command

OVERFLOWS = """
func.func @sums() -> (i32, i8, i1, i64, i16) {
  %largest = arith.constant 2147483647 : i32
  %one = arith.constant 1 : i32
  %past = arith.addi %largest, %one : i32
  %hundred = arith.constant 100 : i8
  %square = arith.muli %hundred, %hundred : i8
  %true = arith.constant true
  %both = arith.addi %true, %true : i1
  %lowest = arith.constant -9223372036854775808 : i64
  %single = arith.constant 1 : i64
  %below = arith.subi %lowest, %single : i64
  %wide = arith.constant 98304 : i32
  %narrow = arith.trunci %wide : i32 to i16
  return %past, %square, %both, %below, %narrow : i32, i8, i1, i64, i16
}
"""


def test_integers_wrap_at_their_own_width(mbc_opt: Command):
    ended = mbc_opt("-p", "canonicalize", stdin=OVERFLOWS)
    assert ended.code == 0
    constants = re.findall(r"arith.constant (.*)\n", ended.out)
    assert constants == [
        "-2147483648 : i32",
        "16 : i8",
        "false",
        "9223372036854775807 : i64",
        "-32768 : i16",
    ]
    assert "addi" not in ended.out


FOLDED_IN_A_BODY = """
#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<37xi8>) -> tensor<37xi8> {
  %e = tensor.empty() : tensor<37xi8>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<37xi8>) outs(%e : tensor<37xi8>) {
  ^bb0(%a: i8, %o: i8):
    %hundred = arith.constant 100 : i8
    %square = arith.muli %hundred, %hundred : i8
    %three = arith.constant 3 : i8
    %third = arith.divsi %hundred, %three : i8
    %minus = arith.subi %square, %third : i8
    %b = arith.muli %a, %minus : i8
    linalg.yield %b : i8
  } -> tensor<37xi8>
  return %y : tensor<37xi8>
}
"""


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_a_kernel_with_folded_integers_is_right(target: str, here: Path):
    """100 * 100 is 16 in eight bits, and 16 - 33 is -17; so are the products."""
    (here / "x.mlir").write_text(FOLDED_IN_A_BODY)
    x = np.arange(-18, 19).astype(np.int8)
    (y,) = called(here / "x.mlir", target, x)
    np.testing.assert_array_equal(y, (x.astype(int) * -17).astype(np.int8))


def called(path: Path, target: str, *inputs: Any) -> Any:
    """What the text's function gives on a target; skips where it cannot run."""
    runner = runner_for(target)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(available.reason)
    artifact = mbc.lower(mbc.Module.load(path), target=target)
    artifact.use_runner(runner)
    found = artifact(*inputs)
    runner.close()
    return found


UNDEFINED = {
    "arith.divsi": ("-2147483648", "-1"),
    "arith.remsi": ("7", "0"),
    "arith.floordivsi": ("7", "0"),
    "arith.divui": ("7", "0"),
    "arith.remui": ("7", "0"),
    "arith.shli": ("1", "32"),
    "arith.shrsi": ("1", "33"),
    "arith.shrui": ("1", "-1"),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_is_undefined_is_left_to_run(mbc_opt: Command, name: str):
    a, b = UNDEFINED[name]
    text = f"""func.func @f() -> i32 {{
      %a = arith.constant {a} : i32
      %b = arith.constant {b} : i32
      %c = {name} %a, %b : i32
      return %c : i32
    }}"""
    assert name in mbc_opt("-p", "canonicalize", stdin=text).out


@pytest.mark.parametrize(
    ("value", "kind", "cast"),
    [
        ("2.147484e+09", "f32", "fptosi %a : f32 to i32"),
        ("-1.0", "f32", "fptoui %a : f32 to i8"),
        ("0x7FC00000", "f32", "fptosi %a : f32 to i64"),
        ("0x7F800000", "f32", "fptoui %a : f32 to i64"),
        ("16777217", "i32", "sitofp %a : i32 to f32"),
    ],
)
def test_casts_that_do_not_fit_are_left_to_run(
    mbc_opt: Command, value: str, kind: str, cast: str
):
    text = f"""func.func @f() -> {cast.split()[-1]} {{
      %a = arith.constant {value} : {kind}
      %b = arith.{cast}
      return %b : {cast.split()[-1]}
    }}"""
    assert cast in mbc_opt("-p", "canonicalize", stdin=text).out


ROUND_TRIP = """
#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<3xf32>) -> (tensor<3xf32>, f32) {
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.truncf %a : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<3xf32>
  %c = arith.constant 1.005 : f32
  %n = arith.truncf %c : f32 to bf16
  %w = arith.extf %n : bf16 to f32
  return %y, %w : tensor<3xf32>, f32
}
"""


def test_a_cast_to_bf16_and_back_rounds(mbc_opt: Command):
    """1.005 lies between the bf16 neighbours 1 and 1.0078125, nearer to the second."""
    out = mbc_opt("-p", "canonicalize", stdin=ROUND_TRIP).out
    assert (out.count("truncf"), out.count("extf")) == (1, 1)
    assert "arith.constant 1.007812" in out


SIGNS = """
func.func @f(%x: f32) -> (f32, f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %sum = arith.addf %minus, %minus : f32
  %mixed = arith.addf %minus, %zero : f32
  %kept = arith.addf %x, %zero : f32
  %nothing = arith.mulf %x, %zero : f32
  return %sum, %mixed, %kept, %nothing : f32, f32, f32, f32
}
"""


def test_zeros_keep_their_signs(mbc_opt: Command):
    out = mbc_opt("-p", "canonicalize", stdin=SIGNS).out
    assert "return %minus, %zero, %kept, %nothing" in out
    assert "%kept = arith.addf %x" in out
    assert "%nothing = arith.mulf %x" in out


def test_a_type_that_does_not_fit_is_shown_with_its_operand(
    mbc_opt: Command, here: Path
):
    lines = ["func.func @f(%a : f32) -> f32 {"]
    lines += ["  %c = arith.addi %a, %a : f32", "  return %c : f32", "}"]
    (here / "x.mlir").write_text("\n".join(lines))
    assert mbc_opt("x.mlir").complains().splitlines() == [
        "x.mlir:2:8: error: 'arith.addi' op operand #0 must be integer or index, "
        "but got 'f32'",
        "  %c = arith.addi %a, %a : f32",
        "       ^",
    ]


EMPTY_ROWS = """
func.func @f(%x : tensor<2x0xf32>) -> (tensor<0xf32>, tensor<2xf32>) {
  %none = arith.constant dense<> : tensor<0xf32>
  %zeros = arith.constant dense<0.0> : tensor<2xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<2x0xf32>) outs(%zeros : tensor<2xf32>) {
  ^bb0(%a : f32, %b : f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %none, %sums : tensor<0xf32>, tensor<2xf32>
}
"""


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_sums_over_nothing_are_zero(mbc_opt: Command, here: Path, target: str):
    (here / "x.mlir").write_text(EMPTY_ROWS)
    text = mbc_opt("x.mlir", "--target", target).out
    assert not re.search(r"\w+ \w+\[0\];", text), "an array without elements"
    none, sums = called(here / "x.mlir", target, np.zeros((2, 0), np.float32))
    assert none.shape == (0,)
    np.testing.assert_array_equal(sums, [0.0, 0.0])


BRANCHES = """
func.func @forward(%x: i1) -> i1 {
  cf.cond_br %x, ^first, ^second
^first:
  %a = arith.constant 3 : i8
  %b = arith.muli %a, %a : i8
  %c = arith.trunci %b : i8 to i1
  return %c : i1
^second:
  return %x : i1
}
"""


def test_branches_are_simplified_and_refused_in_one_sentence(mbc_opt: Command):
    out = mbc_opt("-p", "canonicalize", stdin=BRANCHES).out
    assert "%c = arith.constant true" in out
    assert "cf.cond_br" in out
    for arguments in (("-p", "form-kernels"), ("--target", "rvv")):
        assert "has branches" in mbc_opt(*arguments, stdin=BRANCHES).complains()


FOREIGN = """
func.func @f(%x : tensor<?x4xf32>) -> tensor<?x4xf32> attributes {a = #foo.bar<1>} {
  %z = "foo.op"(%x) {k = 1 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32> loc("m.py":3:7)
  return %z : tensor<?x4xf32>
}
"""


def test_foreign_attributes_and_places_pass_through(mbc_opt: Command):
    flag = "--allow-unregistered-dialect"
    assert flag in mbc_opt(stdin=FOREIGN).complains()
    ended = mbc_opt(flag, "--print-debuginfo", stdin=FOREIGN)
    assert ended.code == 0
    assert "a = #foo.bar<1>" in ended.out
    assert 'loc("m.py":3:7)' in ended.out
