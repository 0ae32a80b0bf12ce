"""The support table: it is up to date, and every cell of it is executed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from mbc.api.check import check_random
from mbc.api.lower import lower_with
from mbc.api.module import from_op
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for
from tests.ir.samples import SAMPLES, module_of
from tools.support_table import DOCUMENT, TARGETS, document


def all_ops() -> ModuleOp:
    """The samples of all named ops side by side, so that each target builds once."""
    types = [type for sample in SAMPLES.values() for type in sample.types]

    def body(*values: SSAValue) -> Sequence[SSAValue]:
        rest, results = list(values), list[SSAValue]()
        for sample in SAMPLES.values():
            own, rest = rest[: len(sample.types)], rest[len(sample.types) :]
            made = sample.body(*own)
            results += [made] if isinstance(made, SSAValue) else list(made)
        return results

    return module_of(types, body)


def test_the_document_is_up_to_date():
    assert DOCUMENT.read_text(encoding="utf-8") == document(), (
        "run: PYTHONPATH=. python tools/support_table.py"
    )


@pytest.mark.parametrize("column", TARGETS)
def test_every_op_means_the_same_under_the_default_pipeline(column: str):
    target = TARGETS[column]
    runner = runner_for(target.name)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(available.reason)
    module = from_op(all_ops())
    artifact = lower_with(module, target, target.pipeline, "unverified")
    artifact.use_runner(runner)
    report = check_random(artifact, module)
    runner.close()
    assert report.passed, report.text
