"""compute-sanitizer on a GPU: what only that rejects, and honest kernels beside it."""

from __future__ import annotations

from typing import Any

from mbc.runtime.cuda.runner import CudaRunner
from mbc.runtime.gates.judge import Judge
from mbc.runtime.gates.report import Passed
from mbc.runtime.gates.sanitize import DETAIL
from tests.adversarial.corpus import Row, rows
from tests.adversarial.generated import emitted_rows

EVERY = 4
"""Every fourth honest text, besides all emitted kernels."""


def check_sanitizer(runner: CudaRunner) -> tuple[list[str], list[dict[str, Any]]]:
    """What is wrong, and a row for each candidate."""
    hostile = [row for row in rows("hostile") if row.target == "cuda"]
    hostile = [row for row in hostile if row.needs == "gpu" or row.kind == "R14"]
    honest = [row for row in rows("honest") if row.target == "cuda"][::EVERY]
    honest += [row for row in emitted_rows() if row.target == "cuda"]
    table = [_judged(row, runner, honest=False) for row in hostile]
    table += [_judged(row, runner, honest=True) for row in honest]
    for entry in table:
        print(entry["name"], entry["conclusion"], entry["said"], flush=True)
    wrong = [f"{e['name']}: {e['said']}" for e in table if e["passed"] != e["honest"]]
    unchecked = [e for e in table if str(e["sanitizer"]).startswith("skipped")]
    wrong += [f"{e['name']}: {e['sanitizer']}" for e in unchecked]
    return wrong, table


def _judged(row: Row, runner: CudaRunner, honest: bool) -> dict[str, Any]:
    # Hidden cases, without which nothing is accepted, would add no other check.
    report = Judge(runner, ("G0", "G1", "G2")).judge(row.candidate(), row.cases())
    found = report.rejection
    passed = [r for r in report.results if isinstance(r, Passed) and r.gate == "G2"]
    return {
        "name": row.name or f"{row.kernel} {dict(row.schedule)}",
        "honest": honest,
        "passed": bool(passed) and found is None,
        "conclusion": report.conclusion,
        "gate": found.gate if found else "",
        "rule": found.rule if found else "",
        "said": found.reason if found else "",
        "sanitizer": passed[0].detail.get(DETAIL, "") if passed else "",
        "seconds": round(report.seconds, 2),
    }
