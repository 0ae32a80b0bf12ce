"""Folding of scalars: the folded module computes what the unfolded one does."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from mbc.ir.context import new_context
from mbc.ir.execute import Mode, execute
from mbc.ir.text import parse_module
from mbc.passes.canonicalize import CanonicalizePass

THOROUGH = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOATS = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}
"""Bits of the significand."""

EITHER_SIGN = ("addi", "subi", "muli", "andi", "ori", "xori")
DIVISIONS = ("divsi", "remsi", "floordivsi", "divui", "remui")
EXTREMES = ("maxsi", "minsi", "maxui", "minui")
SHIFTS = ("shli", "shrsi", "shrui")
FLOAT_OPS = ("addf", "subf", "mulf", "divf")
SPECIAL = (0.0, -0.0, 1.0, -1.5, 3.0, 1024.0, math.inf, -math.inf, math.nan)


def program(lines: Sequence[str], result: str, kind: str) -> ModuleOp:
    """A body that computes one element from constants."""
    tensor = f"tensor<1x{kind}>"
    head = [f"func.func @f() -> {tensor} {{", f"%e = tensor.empty() : {tensor}"]
    head += ["%y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],"]
    head += [f'iterator_types = ["parallel"]}} outs(%e : {tensor}) {{']
    tail = [f"linalg.yield {result} : {kind}", f"}} -> {tensor}"]
    lines = [*head, f"^bb0(%o: {kind}):", *lines, *tail, f"return %y : {tensor}", "}"]
    return parse_module("\n".join(lines))


def check(module: ModuleOp, *modes: Mode) -> int:
    """Compare before and after; how many operations are not constants afterwards."""
    folded = module.clone()
    CanonicalizePass().apply(new_context(), folded)
    folded.verify()
    for mode in modes or ("given", "float64"):
        (wanted,), (found,) = (execute(m, [], mode) for m in (module, folded))
        assert found.dtype == wanted.dtype
        if wanted.dtype.kind not in "ib":
            found, wanted = (a.astype(np.float64) for a in (found, wanted))
            signs = np.signbit(found) == np.signbit(wanted)
            assert (signs | np.isnan(wanted)).all()
        np.testing.assert_array_equal(found, wanted)
    arith = [op for op in folded.walk() if op.name.startswith(("arith.", "math."))]
    return sum(op.name != "arith.constant" for op in arith)


def integers(kind: str) -> st.SearchStrategy[int]:
    half = 1 << (WIDTHS[kind] - 1)
    edges = st.sampled_from([-half, 1 - half, -1, 0, half - 1])
    return (
        st.integers(-half, half - 1)
        | edges
        | st.integers(-3, 3).map(lambda n: max(-half, min(half - 1, n)))
    )


def constant(name: str, value: float, kind: str) -> str:
    if kind == "i1":
        return f"{name} = arith.constant {'true' if value else 'false'}"
    if kind in WIDTHS:
        return f"{name} = arith.constant {int(value)} : {kind}"
    # A whole significand, or the bits where decimal text has no name for the value.
    if math.isfinite(value):
        return f"{name} = arith.constant {value:.20e} : {kind}"
    bits = {math.inf: 0x7F80, -math.inf: 0xFF80}.get(value, 0x7FC0)
    half = {math.inf: 0x7C00, -math.inf: 0xFC00}.get(value, 0x7E00)
    double = {math.inf: 0x7FF, -math.inf: 0xFFF}.get(value, 0x7FF8 >> 4)
    text = {
        "bf16": f"0x{bits:04X}",
        "f16": f"0x{half:04X}",
        "f32": f"0x{bits:04X}0000",
        "f64": f"0x{double << 52 | (0 if math.isinf(value) else 1 << 51):016X}",
    }[kind]
    return f"{name} = arith.constant {text} : {kind}"


@THOROUGH
@given(st.data(), st.sampled_from(("i8", "i16", "i32", "i64")))
def test_integer_operations(data: st.DataObject, kind: str):
    name = data.draw(st.sampled_from((*EITHER_SIGN, *EXTREMES, *DIVISIONS, *SHIFTS)))
    a, b = data.draw(integers(kind)), data.draw(integers(kind))
    width = WIDTHS[kind]
    lowest = a == -(1 << (width - 1)) and b == -1
    signed = name in ("divsi", "remsi", "floordivsi")
    undefined = name in DIVISIONS and (b == 0 or (signed and lowest))
    undefined = undefined or (name in SHIFTS and not 0 <= b < width)
    lines = [constant("%a", a, kind), constant("%b", b, kind)]
    left = check(program([*lines, f"%c = arith.{name} %a, %b : {kind}"], "%c", kind))
    assert left == int(undefined)


@pytest.mark.parametrize("name", EITHER_SIGN)
@pytest.mark.parametrize("a", [0, 1])
@pytest.mark.parametrize("b", [0, 1])
def test_one_bit(name: str, a: int, b: int):
    lines = [constant("%a", a, "i1"), constant("%b", b, "i1")]
    assert check(program([*lines, f"%c = arith.{name} %a, %b : i1"], "%c", "i1")) == 0


@pytest.mark.parametrize("predicate", ["slt", "sle", "sgt", "sge"])
def test_the_sign_of_one_bit_is_left_alone(predicate: str):
    lines = [constant("%a", 1, "i1"), constant("%b", 0, "i1")]
    lines.append(f"%c = arith.cmpi {predicate}, %a, %b : i1")
    assert check(program(lines, "%c", "i1")) == 1


@THOROUGH
@given(st.data(), st.sampled_from(("i8", "i16", "i32", "i64")))
def test_integer_comparisons(data: st.DataObject, kind: str):
    predicates = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
    predicate = data.draw(st.sampled_from(predicates))
    a, b = data.draw(integers(kind)), data.draw(integers(kind))
    lines = [constant("%a", a, kind), constant("%b", b, kind)]
    lines.append(f"%c = arith.cmpi {predicate}, %a, %b : {kind}")
    assert check(program(lines, "%c", "i1")) == 0


def floats(kind: str) -> st.SearchStrategy[float]:
    small = st.integers(-40, 40).map(lambda n: n / 8)
    any_number = st.floats(width=16 if kind in ("f16", "bf16") else 32)
    return small | any_number | st.sampled_from(SPECIAL)


@THOROUGH
@given(st.data(), st.sampled_from(tuple(FLOATS)))
def test_float_operations(data: st.DataObject, kind: str):
    name = data.draw(st.sampled_from(FLOAT_OPS))
    lines = [constant(f"%{n}", data.draw(floats(kind)), kind) for n in "ab"]
    check(program([*lines, f"%c = arith.{name} %a, %b : {kind}"], "%c", kind))


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize(
    ("name", "a", "b", "left"),
    [
        ("addf", 1.5, 2.5, 0),
        ("mulf", -3.0, 0.0, 0),
        ("divf", 3.0, 2.0, 0),
        ("divf", 1.0, 3.0, 1),
        ("divf", 1.0, 0.0, 1),
        ("addf", math.inf, 1.0, 1),
        ("mulf", math.nan, 0.0, 1),
        ("addf", 1.0, 2.0**-60, 1),
    ],
)
def test_only_exact_float_results_are_folded(
    kind: str, name: str, a: float, b: float, left: int
):
    lines = [constant("%a", a, kind), constant("%b", b, kind)]
    if kind == "f16" and b == 2.0**-60:
        left = 0  # too small for an f16, so that it is a zero from the start
    module = program([*lines, f"%c = arith.{name} %a, %b : {kind}"], "%c", kind)
    assert check(module) == left


@THOROUGH
@given(st.data(), st.sampled_from(tuple(FLOATS)))
def test_float_comparisons(data: st.DataObject, kind: str):
    ordered = [f"o{n}" for n in ("eq", "gt", "ge", "lt", "le", "ne")]
    unordered = [f"u{n}" for n in ("eq", "gt", "ge", "lt", "le", "ne", "no")]
    predicate = data.draw(st.sampled_from([*ordered, *unordered, "ord"]))
    lines = [constant(f"%{n}", data.draw(floats(kind)), kind) for n in "ab"]
    lines.append(f"%c = arith.cmpf {predicate}, %a, %b : {kind}")
    assert check(program(lines, "%c", "i1")) == 0


@THOROUGH
@given(st.data())
def test_casts_of_integers(data: st.DataObject):
    source, kind = data.draw(st.permutations(("i8", "i16", "i32", "i64")))[:2]
    value = data.draw(integers(source))
    wider = WIDTHS[kind] > WIDTHS[source]
    name = data.draw(st.sampled_from(("extsi", "extui") if wider else ("trunci",)))
    lines = [constant("%a", value, source)]
    lines.append(f"%c = arith.{name} %a : {source} to {kind}")
    assert check(program(lines, "%c", kind)) == 0


@THOROUGH
@given(st.data(), st.sampled_from(("i8", "i16", "i32", "i64")))
def test_casts_between_integers_and_floats(data: st.DataObject, whole: str):
    kind = data.draw(st.sampled_from(tuple(FLOATS)))
    if data.draw(st.booleans()):
        name = data.draw(st.sampled_from(("sitofp", "uitofp")))
        lines = [constant("%a", data.draw(integers(whole)), whole)]
        lines.append(f"%c = arith.{name} %a : {whole} to {kind}")
        check(program(lines, "%c", kind))
        return
    name = data.draw(st.sampled_from(("fptosi", "fptoui")))
    value = data.draw(floats(kind))
    half = 1 << (WIDTHS[whole] - 1)
    low, high = (-half, half) if name == "fptosi" else (0, 2 * half)
    fits = math.isfinite(value) and low <= math.trunc(value) < high
    lines = [constant("%a", value, kind)]
    lines.append(f"%c = arith.{name} %a : {kind} to {whole}")
    module = program(lines, "%c", whole)
    if fits:
        assert check(module) == 0
        return
    folded = module.clone()
    CanonicalizePass().apply(new_context(), folded)
    assert any(op.name == f"arith.{name}" for op in folded.walk())


@THOROUGH
@given(st.data())
def test_casts_between_floats_round_as_often_as_they_say(data: st.DataObject):
    value = data.draw(floats("f32"))
    kinds = data.draw(st.lists(st.sampled_from(("bf16", "f32", "f64")), max_size=4))
    lines, last = [constant("%v0", value, "f32")], "f32"
    for number, kind in enumerate(kinds):
        if FLOATS[kind] == FLOATS[last]:
            continue
        name = "extf" if FLOATS[kind] > FLOATS[last] else "truncf"
        before = lines[-1].split(" ")[0]
        lines.append(f"%v{number + 1} = arith.{name} {before} : {last} to {kind}")
        last = kind
    left = check(program(lines, lines[-1].split(" ")[0], last))
    assert left == 0 or math.isnan(value)


@THOROUGH
@given(st.data(), st.sampled_from(("i8", "i32", "i64")))
def test_chains(data: st.DataObject, kind: str):
    """What is folded feeds what is folded next; an undefined step stops it."""
    lines = [constant(f"%v{i}", data.draw(integers(kind)), kind) for i in range(3)]
    for i in range(3, data.draw(st.integers(4, 9))):
        name = data.draw(st.sampled_from((*EITHER_SIGN, *EXTREMES)))
        a, b = (f"%v{data.draw(st.integers(0, i - 1))}" for _ in range(2))
        lines.append(f"%v{i} = arith.{name} {a}, {b} : {kind}")
    assert check(program(lines, f"%v{len(lines) - 1}", kind)) == 0
