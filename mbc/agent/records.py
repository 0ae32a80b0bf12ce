"""What the knowledge base stores, as plain immutable data.

An `Outcome` is one candidate kernel: the action that made it, the gates' verdict, what
was measured and what had been predicted. Its id is a hash of its content, so that two
knowledge bases merge as sets. Speed is always a log-speedup: means of ratios lie.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal

from mbc.runtime.gates.report import is_proven
from mbc.runtime.outcome import Fidelity, NotMeasured
from mbc.runtime.statistics import GAMMA

GATE_VERSION = 4
"""Raise when the gates get stricter: policies do not read outcomes of older gates."""

Verdict = Literal[
    "improved",
    "no_improvement",
    "regressed",
    "inconclusive",
    "refused",
    "compile_fail",
    "verify_fail",
    "timeout",
    "suspect",
    "blocked",
]
Rejection = Literal[
    "refused", "compile_fail", "verify_fail", "timeout", "suspect", "blocked"
]
FAILURES: tuple[Verdict, ...] = ("compile_fail", "verify_fail", "timeout", "suspect")
"""What counts against an action. A refusal cost nothing; `blocked` is not its fault."""

TargetClass = Literal["simd", "simt"]
ActionRole = Literal["self", "producer", "consumer"]

_SELECTOR = re.compile(r"\bkernel=[\w.]+")


def relabel(pipeline: str, label: str) -> str:
    """The same pipeline for the same kernel under another label."""
    return _SELECTOR.sub(f"kernel={label}", pipeline)


def digest(*fields: str | float | None) -> str:
    return sha256(json.dumps(fields).encode()).hexdigest()


@dataclass(frozen=True)
class KernelIdentity:
    """`fingerprint` decides; the rest is what statistics generalize over."""

    fingerprint: str
    family: str
    dtypes: str
    shape_class: str
    flops: float
    bytes: float

    @cached_property
    def id(self) -> str:
        sizes = float(self.flops), float(self.bytes)
        text = self.fingerprint, self.family, self.dtypes, self.shape_class
        return digest(*text, *sizes)[:32]


@dataclass(frozen=True)
class TargetIdentity:
    """A number holds for one device and toolchain; a lesson may travel further."""

    name: str
    target_class: TargetClass
    device: str
    toolchain: str

    @cached_property
    def id(self) -> str:
        parts = self.name, self.target_class, self.device, self.toolchain
        return digest(*parts)[:32]


@dataclass(frozen=True, order=True)
class ActionText:
    """A pipeline step without its label selector, so that it applies to any kernel."""

    text: str
    role: ActionRole = "self"

    @classmethod
    def of_step(cls, step: str, role: ActionRole = "self") -> ActionText:
        """`set-tile{kernel=k3 sizes=8,64}` is the action `set-tile{sizes=8,64}`."""
        text = re.sub(r"\s*\bkernel=[\w.]+\s*", " ", step)
        text = text.replace("{ ", "{").replace(" }", "}").replace("{}", "")
        return cls(text.strip(), role)

    @property
    def id(self) -> str:
        return self.text if self.role == "self" else f"{self.role}:{self.text}"

    @property
    def name(self) -> str:
        """The pass."""
        return self.text.split("{", 1)[0]


DEFAULT_ACTION = ActionText("")
"""What made the default schedule: nothing. Statistics leave it out."""


@dataclass(frozen=True)
class Estimate:
    """A predicted log-speedup."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Timed:
    """A believed number: its value, and log-speedups against parent and default."""

    value: float
    unit: str
    fidelity: Fidelity
    log_speedup: float
    se: float
    log_default: float
    low_default: float
    """Lower 95 % bound of `log_default`."""

    def __post_init__(self) -> None:
        if not (self.value > 0 and all(map(math.isfinite, (self.value, *self.logs)))):
            raise ValueError(f"{self} is no measurement")

    @property
    def logs(self) -> tuple[float, float, float, float]:
        return self.log_speedup, self.se, self.log_default, self.low_default


@dataclass(frozen=True)
class Outcome:
    run_id: str
    kernel: KernelIdentity
    target: TargetIdentity
    label: str
    action: ActionText
    pipeline: str
    verdict: Verdict
    result: Timed | NotMeasured
    state_before: str
    created: str
    state_after: str = ""
    """Signature; empty when the candidate was rejected."""
    features: str = "[]"
    """The features of `state_after`, as JSON."""
    parent: str = ""
    """Outcome id; empty for the default schedule."""
    depth: int = 0
    prediction: Estimate = Estimate(0.0, 0.0)
    gate_version: int = GATE_VERSION
    gate_report: str = "{}"

    @property
    def accepted(self) -> bool:
        """Faster than the default beyond doubt, and proven right by the gates."""
        if self.verdict != "improved" or isinstance(self.result, NotMeasured):
            return False
        return self.result.low_default >= math.log(GAMMA) and is_proven(
            self.gate_report
        )

    def refutes(self, other: Outcome) -> bool:
        """Whether this says that `other`, once accepted, is wrong after all.

        A refutation has the pipeline of the outcome that is its parent.
        """
        same = self.parent == other.id and self.pipeline == other.pipeline
        return same and self.verdict == "verify_fail"

    @cached_property
    def id(self) -> str:
        """A hash of everything that this outcome says."""
        return digest(
            self.run_id,
            self.kernel.id,
            self.target.id,
            self.label,
            self.action.id,
            self.pipeline,
            self.verdict,
            *self._numbers,
            self.state_before,
            self.created,
            self.state_after,
            self.features,
            self.parent,
            self.depth,
            float(self.prediction.mean),
            float(self.prediction.sd),
            self.gate_version,
            self.gate_report,
        )

    @property
    def _numbers(self) -> tuple[str | float, ...]:
        match self.result:
            case NotMeasured(reason):
                return (reason,)
            case Timed() as timed:
                numbers = map(float, (timed.value, *timed.logs))
                return (timed.unit, int(timed.fidelity), *numbers)
