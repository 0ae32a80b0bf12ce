"""G6: cases that no policy has seen, before a candidate is remembered as the best.

The seed comes from the system unless a caller gives one, and is in the report, so that
a rejection can be repeated. Extents that G2 used are not drawn again.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection

from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.cases import draw_cases
from mbc.runtime.gates.differential import Differential
from mbc.runtime.gates.extents import Extents
from mbc.runtime.gates.numerics import STRICT, Numerics
from mbc.runtime.gates.predicate import ANYWHERE, Predicate
from mbc.runtime.gates.report import GateResult
from mbc.runtime.runner import Runner

EXTENTS = 2


def hidden_seed() -> int:
    return secrets.randbits(30)


def check_hidden(
    candidate: Candidate,
    runner: Runner,
    seen: Collection[Extents],
    seed: int,
    predicate: Predicate = ANYWHERE,
    numerics: Numerics = STRICT,
) -> GateResult:
    drawn = draw_cases(candidate, seed, predicate, EXTENTS, seen)
    return Differential("G6", numerics, runs=1).check(candidate, runner, drawn)
