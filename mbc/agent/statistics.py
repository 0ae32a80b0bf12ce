"""The numeric critic: from outcomes to what an action is expected to gain in a state.

Each outcome counts at four scopes (this family on this target, this target, its class,
anywhere) and at three levels of its state. A belief about an action is the prior shrunk
towards all of that evidence, the near weighing more than the far. Everything is in
log-speedups, so that half as fast and then twice as fast average to no change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from mbc.agent.records import (
    FAILURES,
    Estimate,
    KernelIdentity,
    TargetIdentity,
    Verdict,
)

Scope = Literal["family_target", "target", "class", "global"]

SCOPE_WEIGHTS: dict[Scope, float] = {
    "family_target": 1.0,
    "target": 0.5,
    "class": 0.25,
    "global": 0.1,
}
LEVEL_WEIGHTS = (0.25, 0.5, 1.0)
"""By level of the state's signature, coarse to full."""

CLIP = (-1.0, 1.5)
"""One freak result must not outweigh a dozen ordinary ones."""
SATURATION = 20
"""More outcomes than this at one scope are no further evidence about this kernel."""
NOISE_SD = 0.35
"""How far one kernel's log-speedup typically lies from its state's mean."""
FAILURE_PRIOR = (0.05, 0.95)
"""Beta: one action in twenty fails, and what failed once here will fail again."""


def scope_keys(
    kernel: KernelIdentity, target: TargetIdentity
) -> list[tuple[Scope, str]]:
    return [
        ("family_target", f"{kernel.family}|{target.name}"),
        ("target", target.name),
        ("class", target.target_class),
        ("global", ""),
    ]


@dataclass(frozen=True)
class Moments:
    """Welford's running count, mean and squared spread, and verdicts without a time."""

    n: int = 0
    mean_log: float = 0.0
    m2: float = 0.0
    compile_fail: int = 0
    verify_fail: int = 0
    timeout: int = 0
    suspect: int = 0
    refused: int = 0
    inconclusive: int = 0

    @property
    def failed(self) -> int:
        return self.compile_fail + self.verify_fail + self.timeout + self.suspect

    def with_log(self, log_speedup: float) -> Moments:
        value = min(max(log_speedup, CLIP[0]), CLIP[1])
        n = self.n + 1
        delta = value - self.mean_log
        mean = self.mean_log + delta / n
        return replace(self, n=n, mean_log=mean, m2=self.m2 + delta * (value - mean))

    def with_verdict(self, verdict: Verdict) -> Moments:
        if verdict not in (*FAILURES, "refused", "inconclusive"):
            return self
        return replace(self, **{verdict: getattr(self, verdict) + 1})


@dataclass(frozen=True)
class Evidence:
    """Weighted counts pooled over scopes and levels: what a belief is made from."""

    weight: float = 0.0
    """Outcomes with a number."""
    weighted_sum: float = 0.0
    """Of their log-speedups."""
    failures: float = 0.0
    seen: int = 0
    """Outcomes behind it at the widest scope, failures included."""

    def with_moments(self, weight: float, moments: Moments) -> Evidence:
        number = weight * min(moments.n, SATURATION)
        return Evidence(
            self.weight + number,
            self.weighted_sum + number * moments.mean_log,
            self.failures + weight * min(moments.failed, SATURATION),
            max(self.seen, moments.n + moments.failed),
        )


NO_EVIDENCE = Evidence()


@dataclass(frozen=True)
class Belief:
    """The posterior of one action in one state."""

    mean: float
    sd: float
    failure: float
    """Probability that the candidate does not build, verify or finish."""
    weight: float
    """Pseudo-count of prior and evidence together."""

    @property
    def value(self) -> float:
        """Expected log-speedup; a failure costs what running at half speed costs."""
        return (1 - self.failure) * self.mean - self.failure * math.log(2)


def posterior(prior: Estimate, evidence: Evidence) -> Belief:
    """Shrink: the prior counts as (noise / its sd)^2 outcomes."""
    count = (NOISE_SD / max(prior.sd, 0.05)) ** 2
    weight = count + evidence.weight
    alpha = FAILURE_PRIOR[0] + evidence.failures
    return Belief(
        mean=(count * prior.mean + evidence.weighted_sum) / weight,
        sd=NOISE_SD / math.sqrt(weight),
        failure=alpha / (alpha + FAILURE_PRIOR[1] + evidence.weight),
        weight=weight,
    )


def pool(rows: Iterable[tuple[Scope, int, Moments]]) -> Evidence:
    """Evidence from statistics, each with its scope and its state's level."""
    evidence = NO_EVIDENCE
    for scope, level, moments in rows:
        weight = SCOPE_WEIGHTS[scope] * LEVEL_WEIGHTS[level]
        evidence = evidence.with_moments(weight, moments)
    return evidence
