"""The cost plugin gives the figures that its README publishes, within 1 %."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mbc.codegen.program import Buffer, Launch, Program
from mbc.runtime.outcome import Measured
from mbc.runtime.runner import Arrays
from mbc.runtime.rvv.runner import RvvRunner
from mbc.runtime.toolchain import (
    Missing,
    find_host_compiler,
    find_qemu_riscv64,
    find_rvv_compiler,
)
from tests.runtime.trials import unjudged

SOURCES = Path(__file__).parent / "rvvcost"
ROUNDS = 500
LMULS = (1, 2, 4, 8)

REGISTERS = {
    1: (8, 9, 10, 11, 12, 13, 14, 15),
    2: (8, 10, 12, 14, 16, 18, 20, 22),
    4: (8, 12, 16, 20, 24, 28, 8, 12),
    8: (8, 16, 24, 8, 16, 24, 8, 16),
}
WIDE = REGISTERS[8]

BODIES: dict[str, Callable[[int], list[str]]] = {
    "vfmacc independent": lambda m: [f"vfmacc.vf v{r}, %2, v0" for r in REGISTERS[m]],
    "vfmacc dependent": lambda m: ["vfmacc.vf v8, %2, v0"] * 8,
    "vle32": lambda m: [f"vle32.v v{r}, (%0)" for r in WIDE],
    "vlse32": lambda m: [f"vlse32.v v{r}, (%0), %1" for r in WIDE],
    "vfredosum": lambda m: [f"vfredosum.vs v{r}, v8, v0" for r in range(16, 24)],
    "vfredusum": lambda m: [f"vfredusum.vs v{r}, v8, v0" for r in range(16, 24)],
    "vsetvli": lambda m: [f"vsetvli t0, zero, e32, m{m}, ta, ma"] * 8,
}

CYCLES = {
    "vfmacc independent": (1, 2, 4, 8),
    "vfmacc dependent": (4, 4, 4, 8),
    "vle32": (2, 4, 8, 16),
    "vlse32": (8, 16, 32, 64),
    "vfredosum": (32, 64, 128, 256),
    "vfredusum": (7, 8, 10, 14),
    "vsetvli": (0.75, 0.75, 0.75, 0.75),
}
"""Per instruction in a long loop, at VLEN = DLEN = 256."""

GEMM_CYCLES = 32183
"""28x128x64, seven rows by four registers, built by clang 19."""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory):
    qemu = find_qemu_riscv64()
    for tool in (find_rvv_compiler(), find_host_compiler(), qemu):
        if isinstance(tool, Missing):
            pytest.skip(f"{tool.reason}; install: {tool.install}")
    if not isinstance(qemu, Missing) and qemu.kind != "plugins":
        pytest.skip(f"the plugin needs dynamic qemu-riscv64 7.2, not {qemu.version}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MBC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield RvvRunner()


def unit_program(name: str, lmul: int) -> Program:
    body = "\\n".join(BODIES[name](lmul))
    defines = f'#define LMUL {lmul}\n#define ROUNDS {ROUNDS}\n#define BODY "{body}"\n'
    data = Buffer("data", "f32", (4096,), "input")
    source = defines + (SOURCES / "unit.c").read_text()
    return Program("rvv", source, (data,), (Launch("unit", ("data",)),))


def cycles(
    runner: RvvRunner, programs: list[Program], inputs: list[Arrays]
) -> list[float]:
    trials = list(map(unjudged, programs, inputs))
    measured = runner.measure(trials, rounds=1)
    values = [m.value for m in measured if isinstance(m, Measured)]
    assert len(values) == len(programs), measured
    return values


@pytest.mark.parametrize("name", BODIES)
def test_cycles_per_instruction(runner: RvvRunner, name: str) -> None:
    programs = [unit_program(name, lmul) for lmul in LMULS]
    data = {"data": np.zeros(4096, np.float32)}
    got = cycles(runner, programs, [data] * len(programs))
    assert [c / (8 * ROUNDS) for c in got] == pytest.approx(CYCLES[name], rel=0.01)


def test_gemm_matches_the_reference_figure(runner: RvvRunner) -> None:
    shapes = {"a": (28, 64), "b": (64, 128)}
    inputs = {n: np.zeros(s, np.float32) for n, s in shapes.items()}
    buffers = [Buffer(n, "f32", s, "input") for n, s in shapes.items()]
    buffers.append(Buffer("c", "f32", (28, 128), "output"))
    source = (SOURCES / "gemm.c").read_text()
    program = Program("rvv", source, tuple(buffers), (Launch("gemm", ("a", "b", "c")),))
    (value,) = cycles(runner, [program], [inputs])
    assert value == pytest.approx(GEMM_CYCLES, rel=0.01)
