"""What tuning a model gives: the artifact, a row for each kernel, the gates' report."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import mbc
from mbc.api.artifact import Artifact
from mbc.api.history import (
    REPORT,
    REPORT_FILE,
    REPORT_VERSION,
    KernelHistory,
    roofline_of,
)
from mbc.errors import InvalidInput
from mbc.ir.types import Array
from mbc.runtime.aggregate import Aggregate, Gain, aggregate
from mbc.runtime.bound import SHARES
from mbc.runtime.gates.report import Passed, Report
from mbc.runtime.outcome import NotMeasured


@dataclass(frozen=True)
class TunedKernel:
    """One row of a report: `default` and `tuned` in `unit`, and how many times faster.

    `ratio` is that of interleaved pairs, step by step from the default; the times may
    come from different runs, so that theirs is not exactly it.
    """

    label: str
    family: str
    default: float
    tuned: float
    ratio: float
    unit: str
    fidelity: str
    verdict: str
    pipeline: str
    measured: int
    recalled: int
    conditions: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What `tuned` was taken under: timer, caches, clocks, load, calls checked."""

    @property
    def gain(self) -> Gain | NotMeasured:
        if not self.unit:
            return NotMeasured(self.verdict)
        return Gain(math.log(self.ratio), self.verdict == "improved")


@dataclass
class Tuned:
    """The tuned artifact, judged as a whole, and what each kernel gained.

    `report` is the gates' on the model; `notes` are sentences on what went back to its
    default, and why.

    Used like its artifact: callable, with `sources`, `ir`, `run` and `save`.
    """

    artifact: Artifact
    rows: list[TunedKernel]
    interrupted: bool
    measured: int
    report: Report
    notes: list[str]
    reverted: bool = False
    """Whether all kernels went back to their defaults, whatever they gained alone."""
    histories: list[KernelHistory] = field(default_factory=list[KernelHistory])
    """What was tried on each kernel, in the order of `rows`."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Of the run, as plain data: policy, seed, budget, the model as imported."""

    @property
    def check(self) -> str:
        """What was compared of the artifact as a whole, in words."""
        (model,) = [r for r in self.report.results if r.gate == "G3"]
        assert isinstance(model, Passed)
        draws = model.detail["draws"]
        return f"{model.checks} elements within their bounds on {draws} draws of inputs"

    @property
    def ratio(self) -> float:
        """How many times faster than by default; 1.0 where nothing was proven."""
        for result in self.report.results:
            if result.gate == "G4" and isinstance(result, Passed):
                return float(result.detail["ratio"])
        return 1.0

    @property
    def aggregate(self) -> Aggregate | NotMeasured:
        """Over all kernels, and over those that improved and are in the artifact."""
        gains = [row.gain for row in self.rows]
        if self.reverted:
            kept = Gain(0.0, False)
            gains = [kept if isinstance(gain, Gain) else gain for gain in gains]
        return aggregate(gains)

    def document(self) -> dict[str, Any]:
        """The report as plain data: rows of kernels, aggregate, gates of the model."""
        total = self.aggregate
        target = self.artifact.code.target
        return {
            "format": REPORT,
            "version": REPORT_VERSION,
            "mbc": mbc.__version__,
            "target": {"name": target.name, "options": dict(target.build_options())},
            "peaks": roofline_of(target.peaks),
            "shares": list(SHARES),
            **self.settings,
            "lowered": self.ir,
            "kernels": [asdict(row) for row in self.rows],
            "histories": [history.document() for history in self.histories],
            "geometric_mean": (
                {"reason": total.reason}
                if isinstance(total, NotMeasured)
                else total.document()
            ),
            "ratio": self.ratio,
            "reverted": self.reverted,
            "measured": self.measured,
            "interrupted": self.interrupted,
            "gates": json.loads(self.report.to_json()),
            "notes": self.notes,
        }

    @property
    def sources(self) -> dict[str, str]:
        return self.artifact.sources

    @property
    def ir(self) -> str:
        return self.artifact.ir

    def run(self, *inputs: Any) -> list[Array]:
        return self.artifact.run(*inputs)

    def __call__(self, *inputs: Any) -> Any:
        return self.artifact(*inputs)

    def save(self, folder: Path | str) -> None:
        """The artifact, and `report.json`, which `mbc report` shows as a page."""
        self.artifact.save(folder)
        text = json.dumps(self.document(), indent=1, default=str)
        path = Path(folder) / REPORT_FILE
        try:
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"cannot write '{path}': {error.strerror}") from error
