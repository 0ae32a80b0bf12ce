"""Pipelines as text: both spellings, canonical text, and one sentence per mistake."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.errors import InvalidInput
from mbc.ir.context import new_context
from mbc.passes.fuse_epilogue import FuseEpiloguePass
from mbc.passes.pipeline import (
    parse,
    pass_text,
    run,
    text_of,
)
from mbc.passes.set_tile import SetTilePass
from mbc.passes.use_source import UseSourcePass
from tests.passes.programs import mlp


def test_both_spellings():
    plain = parse("form-kernels,set-tile{kernel=k3 sizes=7,4}")
    assert plain == parse("builtin.module(form-kernels,set-tile{sizes=7,4 kernel=k3})")
    assert plain == parse(
        " builtin.module( form-kernels,set-tile{kernel=k3 sizes=7,4})"
    )
    assert plain[1] == SetTilePass("k3", (7, 4))


def test_an_empty_pipeline_has_no_passes():
    assert parse("") == parse("builtin.module()") == ()


@pytest.mark.parametrize(
    ("instance", "text"),
    [
        (
            SetTilePass("k3_0", (7,)),
            "set-tile{kernel=k3_0 sizes=7}",
        ),
        (FuseEpiloguePass("k1"), "fuse-epilogue{kernel=k1}"),
        (FuseEpiloguePass(), "fuse-epilogue"),
        (
            UseSourcePass("k0", "a b/x.c"),
            'use-source{kernel=k0 file="a b/x.c"}',
        ),
    ],
)
def test_text_reads_back(instance: ModulePass, text: str):
    assert pass_text(instance) == text
    assert parse(text) == (instance,)


def test_text_of_a_pipeline():
    text = 'assign-target{target=rvv option="vlen=512"},form-kernels'
    assert text_of(parse(text)) == text


def test_names_of_xdsl_are_known_and_ours_win():
    own, foreign = parse("canonicalize,cse")
    assert type(own).__module__ == "mbc.passes.canonicalize"
    assert type(foreign).__module__.startswith("xdsl.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nosuchpass", "'nosuchpass' does not refer to a registered pass"),
        (
            "form-kernel",
            "'form-kernel' does not refer to a registered pass; "
            "did you mean 'form-kernels'?",
        ),
        ("set-tile{kernel=k0 sizes=x}", "set-tile: sizes takes tuple[int, ...], not x"),
        ("set-vector{kernel=k0 width=4,8}", "set-vector: width takes int, not 4,8"),
        ("set-vector{kernel=k0}", "set-vector needs the argument 'width'"),
        (
            "set-vector{kernel=k0 width=4 speed=1}",
            "set-vector has no argument 'speed'; arguments: kernel, width",
        ),
        ("form-kernels{x=1}", "form-kernels has no argument 'x'; arguments: none"),
    ],
)
def test_mistakes(text: str, message: str):
    with pytest.raises(InvalidInput) as error:
        parse(text)
    assert error.value.message == message


@pytest.mark.parametrize("text", ["a{", "a}", "a,,b", "builtin.module(a", "a{x=}", "!"])
def test_malformed_text_is_one_sentence(text: str):
    with pytest.raises(InvalidInput) as error:
        parse(text)
    assert "\n" not in error.value.message
    assert error.value.message.startswith(f"pipeline '{text}': ")


def test_after_is_called_behind_every_pass():
    seen: list[str] = []

    def after(step: ModulePass, module: ModuleOp) -> None:
        seen.append(step.name)

    run(new_context(), mlp(), parse("canonicalize,form-kernels"), after)
    assert seen == ["canonicalize", "form-kernels"]


def test_unknown_labels_name_the_kernels():
    module = mlp()
    run(new_context(), module, parse("assign-target{target=rvv},form-kernels"))
    for text in ("fuse-epilogue{kernel=k77}", "set-tile{kernel=k77 sizes=1}"):
        with pytest.raises(InvalidInput, match=r"no kernel is labelled 'k77'.*k0, k1"):
            run(new_context(), module, parse(text))
