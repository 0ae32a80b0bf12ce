"""`mbc verify` on every target: texts for any extents, and input that is not right."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from mbc.runtime.isolation import isolation_level
from mbc.runtime.outcome import Available
from mbc.runtime.runner import runner_for
from tests.cli.conftest import Command, Ended
from tests.ir.samples import module_of
from tests.runtime.gates.kernels import KERNELS


@dataclass(frozen=True)
class Writing:
    """How a person writes x x + x for a target."""

    file: str
    head: str
    body: str

    @property
    def text(self) -> str:
        return f"{self.head} {{\n{self.body}\n}}\n"


HOST = """  for (size_t i = 0; i < k0_N0;) {
    size_t vl = __riscv_vsetvl_e32m4(k0_N0 - i);
    vfloat32m4_t x = __riscv_vle32_v_f32m4(a0 + i, vl);
    __riscv_vse32_v_f32m4(r0 + i, __riscv_vfmacc_vv_f32m4(x, x, x, vl), vl);
    i += vl;
  }"""
ITEM = "  if (i < k0_N0) r0[i] = a0[i] * a0[i] + a0[i];"
LAUNCH = "// launch: grid=ceil(N0/64) block=64\n"
WRITINGS = {
    "rvv": Writing("k.c", "void k0(const float *a0, float *r0)", HOST),
    "opencl": Writing(
        "k.cl",
        f"{LAUNCH}__kernel void k0(__global const float *a0, __global float *r0)",
        f"  int i = get_global_id(0);\n{ITEM}",
    ),
    "cuda": Writing(
        "k.cu",
        f'{LAUNCH}extern "C" __global__ void k0(const float *a0, float *r0)',
        f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n{ITEM}",
    ),
}


@pytest.fixture(params=WRITINGS)
def target(request: pytest.FixtureRequest) -> str:
    if not isinstance(runner_for(request.param).availability(), Available):
        pytest.skip(f"this machine cannot run {request.param} programs")
    return request.param


@pytest.fixture
def verify(mbc: Command, here: Path, target: str):
    """Judges a text against the kernel of that name."""

    def run(text: str | bytes, *arguments: str, kernel: str = "map") -> Ended:
        (here / "m.mlir").write_text(str(module_of(*KERNELS[kernel])))
        file = here / WRITINGS[target].file
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        chosen = ("--kernel", "m.mlir:k0", "--target", target)
        return mbc("verify", file.name, *chosen, *arguments)

    return run


def rejection(ended: Ended) -> dict[str, str]:
    """The last gate of a report that rejected; one sentence, and the isolation."""
    document = json.loads(ended.out)
    assert document["isolation"] == isolation_level()
    assert not document["accepted"]
    last = document["gates"][-1]
    assert last["result"] == "rejected"
    assert "\n" not in last["reason"]
    assert "Traceback" not in ended.err
    return last


def test_a_text_for_any_extents_is_accepted(verify, target: str):
    ended = verify(WRITINGS[target].text, "--any-extents", "--json")
    assert (ended.code, ended.err) == (0, "")
    document = json.loads(ended.out)
    gates = {gate["gate"]: gate for gate in document["gates"]}
    assert list(gates) == ["G0", "G1", "G2", "G3", "G4", "G5", "G6"]
    for name in ("G0", "G2", "G6"):
        assert gates[name]["result"] == "passed"
        assert gates[name]["checks"] > 0
        assert gates[name]["seconds"] > 0
    assert len(gates["G2"]["detail"]["extents"]) > 2
    assert document["isolation"] == isolation_level()


def test_inside_a_predicate_it_is_checked_there_alone(verify, target: str):
    ended = verify(
        WRITINGS[target].text, "--any-extents", "--where", "N0 % 4 == 1", "--json"
    )
    assert ended.code == 0
    (extents,) = [
        gate["detail"]["extents"]
        for gate in json.loads(ended.out)["gates"]
        if gate["gate"] == "G2"
    ]
    assert all(int(text.removeprefix("N0=")) % 4 == 1 for text in extents)


def test_an_extent_written_into_a_text_is_rejected(verify, target: str):
    """R13: right for the extent that the author saw, and claimed for all."""
    fixed = WRITINGS[target].text.replace("k0_N0", "37")
    assert verify(fixed).code == 0
    ended = verify(fixed, "--any-extents", "--json")
    assert ended.code == 4
    assert rejection(ended)["gate"] == "G2"


def test_a_launch_for_one_extent_is_rejected(verify, target: str):
    text = WRITINGS[target].text
    if LAUNCH not in text:
        pytest.skip("a host target has no grid")
    ended = verify(text.replace("ceil(N0/64)", "1"), "--any-extents", "--json")
    assert ended.code == 4
    assert rejection(ended)["verdict"] == "verify_fail"


def test_a_text_for_any_extents_must_say_how_it_is_launched(verify, target: str):
    text = WRITINGS[target].text
    if LAUNCH not in text:
        pytest.skip("a host target has no grid")
    ended = verify(text.replace(LAUNCH, ""), "--any-extents", "--json")
    assert ended.code == 1
    assert "must say how it is launched" in rejection(ended)["reason"]
    broken = verify(text.replace("ceil(N0/64)", "ceil(N9/64)"), "--any-extents")
    assert "extents here: N0" in broken.complains()


SIGNATURES = {
    "name": ("void k0", "void k7", "does not define 'k0'"),
    "too few": (", float *r0", "", "takes 1 parameters"),
    "too many": ("float *r0", "float *r0, float *r1", "takes 3 parameters"),
    "type": ("float *r0", "double *r0", "parameter of 'r0' does not point to f32"),
    "no pointer": ("float *r0", "float r0", "parameter of 'r0' is no pointer"),
    "no const": ("const float *a0", "float *a0", "'a0', an input, is not const"),
}


@pytest.mark.parametrize("change", SIGNATURES)
def test_a_wrong_signature_is_named_with_the_right_one(
    verify, target: str, change: str
):
    old, new, words = SIGNATURES[change]
    writing = WRITINGS[target]
    if target == "opencl":
        old, new = (t.replace(", float", ", __global float") for t in (old, new))
    assert old in writing.text
    ended = verify(writing.text.replace(old, new), "--json")
    assert ended.code == 1
    found = rejection(ended)
    assert (found["gate"], found["rule"]) == ("G0", "signature")
    assert words in found["reason"]
    assert found["reason"].endswith("float *r0)`")
    if change != "name":
        line = writing.head.count("\n") + 1
        assert found["reason"].startswith(f"line {line}: ")


def test_what_does_not_compile_has_a_line(verify, target: str):
    text = "\n\n" + WRITINGS[target].text.replace("a0[i]", "nothing").replace(
        "a0 + i", "nothing"
    )
    ended = verify(text, "--json")
    assert ended.code == 1
    line = 1 + next(i for i, t in enumerate(text.splitlines()) if "nothing" in t)
    assert rejection(ended)["reason"].startswith(f"line {line}: ")


def test_a_text_of_another_target_is_named(verify, target: str):
    other = {"rvv": "opencl", "opencl": "cuda", "cuda": "rvv"}[target]
    ended = verify(WRITINGS[other].text, "--json")
    assert ended.code == 1
    reason = rejection(ended)["reason"]
    assert f"the text is written for {other}, not for {target}" in reason


UNJUDGED = {
    "ignoring": "the result does not depend on operand a1",
    "nan": "the reference itself makes NaN from finite inputs",
}


@pytest.mark.parametrize("kernel", UNJUDGED)
def test_a_problem_that_cannot_be_judged_is_refused(
    mbc: Command, here: Path, target: str, kernel: str
):
    (here / "m.mlir").write_text(str(module_of(*KERNELS[kernel])))
    ended = mbc("verify", "-", "--kernel", "m.mlir:k0", "--target", target, "--json")
    assert ended.code == 1
    found = rejection(ended)
    assert (found["verdict"], found["reason"]) == ("refused", UNJUDGED[kernel])


def test_a_predicate_that_nothing_satisfies_is_named(verify, target: str):
    where = "N0 > 5, N0 < 5"
    ended = verify(WRITINGS[target].text, "--any-extents", "--where", where, "--json")
    assert ended.code == 1
    assert rejection(ended)["reason"] == f"no extents satisfy the predicate {where}"
    beyond = verify(WRITINGS[target].text, "--where", "N7 > 5", "--json")
    assert "the predicate names N7, no free extent" in rejection(beyond)["reason"]


@pytest.mark.parametrize(
    ("text", "words"),
    [(b"", "is empty"), (b" \n\t", "is empty"), (b"\x7fELF\x02\xff\xfe", "not text")],
)
def test_what_is_no_text_is_one_line(verify, target: str, text: bytes, words: str):
    assert words in verify(text).complains()


def test_a_label_that_does_not_exist_is_one_line(verify, mbc: Command, target: str):
    verify(WRITINGS[target].text, "--json")
    file = WRITINGS[target].file
    ended = mbc("verify", file, "--kernel", "m.mlir:k7", "--target", target)
    assert "no kernel is labelled 'k7'; kernels here: k0" in ended.complains()
