"""What a number was taken under: the load and the clocks of the machine.

Nothing here changes the machine. Clocks that nobody holds still are `unlocked`, and
paired rounds are what makes their ratios worth something; what cannot be read is left
out rather than guessed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

Conditions = dict[str, str | float]

POLICY = Path("/sys/devices/system/cpu/cpufreq/policy0")
CPU_FILES = {
    "cpu_governor": "scaling_governor",
    "cpu_khz": "scaling_cur_freq",
    "cpu_khz_least": "scaling_min_freq",
    "cpu_khz_most": "scaling_max_freq",
}
GPU_FIELDS = {
    "gpu_mhz": "clocks.sm",
    "gpu_mhz_most": "clocks.max.sm",
    "gpu_memory_mhz": "clocks.mem",
    "gpu_celsius": "temperature.gpu",
    "gpu_throttling": "clocks_throttle_reasons.active",
}
QUERY_SECONDS = 10


def host_conditions(policy: Path = POLICY) -> Conditions:
    """Load of the last minute, processors, and the first core's clock."""
    found: Conditions = {"load": round(os.getloadavg()[0], 2)}
    found["cpus"] = float(os.cpu_count() or 1)
    for name, file in CPU_FILES.items():
        try:
            text = (policy / file).read_text().strip()
        except OSError:
            continue
        found[name] = number_or_text(text)
    return {**found, "clocks": _clocks(found)}


def gpu_conditions(program: str = "nvidia-smi") -> Conditions:
    """Clocks of the first GPU; nothing where its tool is not there or says nothing."""
    path = shutil.which(program)
    if path is None:
        return {"clocks": "unlocked"}
    fields = ",".join(GPU_FIELDS.values())
    line = f"--query-gpu={fields}", "--format=csv,noheader,nounits", "--id=0"
    try:
        told = subprocess.run(
            [path, *line], capture_output=True, text=True, timeout=QUERY_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return {"clocks": "unlocked"}
    values = [value.strip() for value in told.stdout.strip().split(",")]
    if told.returncode or len(values) != len(GPU_FIELDS):
        return {"clocks": "unlocked"}
    pairs = zip(GPU_FIELDS, values, strict=True)
    # That a clock was locked cannot be read from here; so none is taken to be.
    return {**{n: number_or_text(v) for n, v in pairs}, "clocks": "unlocked"}


def number_or_text(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _clocks(found: Conditions) -> str:
    """Locked only if the system may not change the frequency at all."""
    least, most = found.get("cpu_khz_least"), found.get("cpu_khz_most")
    return "locked" if least is not None and least == most else "unlocked"
