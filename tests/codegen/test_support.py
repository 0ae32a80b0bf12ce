"""The support table: it is up to date, and every cell of it is executed."""

from __future__ import annotations

import pytest

from mbc.api.check import check_random
from mbc.api.lower import lower_with
from mbc.api.module import from_op
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for
from tools.support_table import DOCUMENT, TARGETS, all_ops, document


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
