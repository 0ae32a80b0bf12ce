"""No pass changes what a program computes, alone or in the pipelines of targets."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.codegen.targets import TARGETS, target_named
from mbc.errors import PassRefused
from mbc.ir.context import new_context
from mbc.ir.fingerprint import fingerprint
from mbc.ir.text import parse_module, print_module
from mbc.passes import PASSES, pass_class
from mbc.passes.pipeline import parse, pass_text, run
from tests.passes.programs import PROGRAMS, arguments, assert_same, programs
from tests.passes.programs import run as evaluate

SLOW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def default_pipeline(target: str) -> str:
    return f"assign-target{{target={target}}},{target_named(target).pipeline}"


def check_each_step(module: ModuleOp, pipeline: str) -> None:
    arrays = arguments(module)
    wanted = evaluate(module, arrays)

    def same(step: ModulePass, module: ModuleOp) -> None:
        assert_same(wanted, evaluate(module, arrays))

    run(new_context(), module, parse(pipeline), same)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_default_pipeline(name: str, target: str):
    module = PROGRAMS[name]()
    check_each_step(module, default_pipeline(target))
    text = print_module(module)
    assert fingerprint(parse_module(text)) == fingerprint(module)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_legal_instance(name: str):
    """What `schedule_space` lists applies, changes something and keeps the meaning."""
    module = PROGRAMS[name]()
    arrays = arguments(module)
    wanted = evaluate(module, arrays)
    run(new_context(), module, parse("assign-target{target=rvv},form-kernels"))
    for pass_name in PASSES:
        for instance in pass_class(pass_name).schedule_space(new_context(), module):
            _, changed = instance.apply_to_clone(new_context(), module)
            changed.verify()
            assert print_module(changed) != print_module(module)
            assert_same(wanted, evaluate(changed, arrays))
            assert parse(pass_text(instance)) == (instance,)


@SLOW
@given(programs())
def test_random_programs(module: ModuleOp):
    check_each_step(module, default_pipeline("rvv"))


@SLOW
@given(programs())
def test_random_programs_without_target(module: ModuleOp):
    check_each_step(
        module, "form-kernels,canonicalize,fuse-elementwise,hoist-parameters"
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_passes_are_idempotent(name: str):
    """The whole pipeline a second time, with the packing that is done, is nothing."""
    module = PROGRAMS[name]()
    pipeline = parse(default_pipeline("cuda"))
    run(new_context(), module, pipeline)
    before = print_module(module)
    run(new_context(), module, pipeline)
    assert print_module(module) == before


def test_a_replayed_action_is_refused_where_it_does_not_hold():
    module = PROGRAMS["mlp"]()
    run(new_context(), module, parse("assign-target{target=rvv},form-kernels"))
    (action,) = parse("fuse-epilogue{kernel=k1}")
    with pytest.raises(PassRefused, match="elementwise"):
        action.apply(new_context(), module)
