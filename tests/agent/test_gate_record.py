"""What an outcome keeps of its measurement, beside whatever the gates said."""

from __future__ import annotations

import json

from mbc.agent.gate_record import conditions_in, with_measurement
from mbc.runtime.outcome import Fidelity, Measured, NotMeasured

KNOWN: dict[str, str | float] = {"timer": "a clock", "clocks": "unlocked", "load": 0.5}
TIME = Measured(
    3.0, "ns", Fidelity.HARDWARE, "board", (2.0, 3.0, 4.0), conditions=KNOWN
)


def test_the_gates_word_stays_and_the_conditions_are_added() -> None:
    kept = with_measurement('{"accepted": true}', TIME)
    assert json.loads(kept)["accepted"] is True
    assert conditions_in(kept) == {**KNOWN, "samples": 3}


def test_without_a_measurement_nothing_is_added() -> None:
    assert conditions_in(with_measurement("{}", NotMeasured("no clock"))) == {}
    assert conditions_in("{}") == {}
