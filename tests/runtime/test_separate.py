"""Calls in processes of their own: values, deaths, limits, and nothing left behind."""

import os
import signal
import time

import pytest

from mbc.runtime.separate import Died, Returned, call_each


def behave(how: str) -> str:
    match how:
        case "raise":
            raise ValueError("of no\n use")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(7)
        case "sleep":
            time.sleep(60)
        case "print":
            print("this goes nowhere")
        case _:
            pass
    return f"{how} done"


def outcomes(how: list[str], jobs: int = 1, seconds: float = 30.0):
    return dict(call_each(behave, how, jobs, seconds, preload=()))


def test_a_value_comes_with_its_memory(capfd: pytest.CaptureFixture[str]):
    found = outcomes(["print", "b"], jobs=2)
    for how, ended in found.items():
        assert isinstance(ended, Returned)
        assert ended.value == f"{how} done"
        assert 1 << 20 < ended.peak_bytes < 1 << 34
    assert capfd.readouterr().out == ""


def test_what_one_call_breaks_is_its_own():
    found = outcomes(["die", "exit", "raise", "fine"])
    assert found["die"] == Died("its process was killed by signal 9")
    assert found["exit"] == Died("its process exited with 7")
    assert found["raise"] == Died("internal error: ValueError: of no use")
    assert isinstance(found["fine"], Returned)


def test_a_call_ends_at_its_limit():
    assert outcomes(["sleep"], seconds=0.3) == {
        "sleep": Died("it took more than 0.3 s")
    }


def test_calls_end_with_the_caller():
    calls = call_each(behave, ["fine", "sleep"], 2, 60.0, preload=())
    argument, _ = next(calls)
    assert argument == "fine"
    start = time.monotonic()
    calls.close()
    assert time.monotonic() - start < 30
