"""What is read of a machine's load and clocks, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbc.runtime.conditions import gpu_conditions, host_conditions

GOVERNED = {
    "scaling_governor": "powersave",
    "scaling_cur_freq": "1800000",
    "scaling_min_freq": "800000",
    "scaling_max_freq": "3600000",
}


def written(folder: Path, **changes: str) -> Path:
    for name, text in {**GOVERNED, **changes}.items():
        (folder / name).write_text(f"{text}\n")
    return folder


def test_a_clock_that_may_move_is_unlocked(tmp_path: Path) -> None:
    found = host_conditions(written(tmp_path))
    assert found["cpu_governor"] == "powersave"
    assert found["cpu_khz"] == 1_800_000
    assert found["clocks"] == "unlocked"
    assert float(found["load"]) >= 0


def test_a_clock_with_one_frequency_is_locked(tmp_path: Path) -> None:
    found = host_conditions(written(tmp_path, scaling_min_freq="3600000"))
    assert found["clocks"] == "locked"


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    found = host_conditions(tmp_path / "nowhere")
    assert found["clocks"] == "unlocked"
    assert not [name for name in found if name.startswith("cpu_")]


@pytest.mark.parametrize(
    ("script", "extra"),
    [
        (
            "echo 1980, 1980, 3201, 41, 0x0000000000000000",
            {"gpu_mhz": 1980.0, "gpu_memory_mhz": 3201.0, "gpu_celsius": 41.0},
        ),
        ("echo no devices were found", {}),
        ("exit 9", {}),
    ],
)
def test_clocks_of_a_gpu(tmp_path: Path, script: str, extra: dict[str, float]) -> None:
    tool = tmp_path / "tool"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    found = gpu_conditions(str(tool))
    assert found["clocks"] == "unlocked"
    assert {name: found.get(name) for name in extra} == extra
    assert bool(extra) == ("gpu_mhz" in found)


def test_without_a_tool_there_are_no_clocks() -> None:
    assert gpu_conditions("no-such-tool-here") == {"clocks": "unlocked"}
