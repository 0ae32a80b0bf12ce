"""Timed calls that lie on a GPU must be caught by the clock, and honest ones believed.

Gates refuse most of these texts before they run; here nothing stands before the clock.
"""

from __future__ import annotations

import numpy as np

from mbc.codegen.program import Buffer, Launch, Program
from mbc.ir.types import Array
from mbc.runtime.cuda.runner import CudaRunner
from mbc.runtime.outcome import Measured
from mbc.runtime.trial import Arrays, Case, Trial

THREADS = 256
SMALL, LARGE = 1 << 10, 1 << 20
"""Elements: one is timed in batches, the other fills the GPU."""
ROUNDS = 30
ONE_BLOCK = """
__device__ unsigned long long seen[64];
__device__ float kept[64][{n}];
__device__ int calls;
extern "C" __global__ void f(const float *x, const float *y, float *z) {{
  __shared__ int turn, slot, known;
  if (threadIdx.x == 0) {{
    turn = calls++;
    slot = 0;
    {key}
    while (slot < 63 && seen[slot] && seen[slot] != key) slot++;
    known = seen[slot] == key;
    seen[slot] = key;
  }}
  __syncthreads();
  for (int i = threadIdx.x; i < {n}; i += {threads}) {{ {body} }}
}}
"""
"""A block alone, so that what it remembers of earlier calls is in order."""
GRID = """
extern "C" __global__ void f(const float *x, const float *y, float *z) {{
  int i = blockIdx.x * {threads} + threadIdx.x;
  if (i < {n}) {{ {body} }}
}}
"""
POINTER = "const unsigned long long key = (unsigned long long)x;"
CONTENT = "const unsigned long long key = 1u + (unsigned)__float_as_int(x[0]);"
RECALL = "if (!known) kept[slot][i] = x[i] + y[i]; z[i] = kept[slot][i];"
WORK = "z[i] = x[i] + y[i];"
HOSTILE = {
    "result by pointer": (POINTER, RECALL),
    "result by first element": (CONTENT, RECALL),
    "skips a known pointer": (POINTER, f"if (!known) {WORK}"),
    "every second call": (POINTER, f"if (turn % 2 == 0) {WORK}"),
    "first call only": (POINTER, f"if (turn == 0) {WORK}"),
    "after warming up": (POINTER, f"if (turn < 12) {WORK}"),
    "works on NaN only": (POINTER, f"if (isnan(z[i])) {WORK}"),
    "changes its input": (POINTER, f"{WORK} ((float *)y)[i] = 0;"),
    "writes beyond": (POINTER, f"{WORK} if (i == 0) z[{{n}}] = 1;"),
}
"""How a key is made of a call, and what each thread does."""


def check_clock(runner: CudaRunner) -> list[str]:
    """One line for each lie that is believed and each honest program that is not."""
    wrong: list[str] = []
    for name, (key, body) in HOSTILE.items():
        text = ONE_BLOCK.format(
            n=SMALL, threads=THREADS, key=key, body=body.replace("{n}", str(SMALL))
        )
        liar, honest = runner.measure([_sums(text, SMALL, 1), _honest(SMALL)], ROUNDS)
        print(f"clock, {name}: {liar}", flush=True)
        # A program that only fails to build would prove nothing.
        if isinstance(liar, Measured) or not liar.rule:
            wrong.append(f"clock: '{name}' was not caught: {liar}")
        if not isinstance(honest, Measured):
            wrong.append(f"clock: honest beside '{name}': {honest.reason}")
    for size in (SMALL, LARGE):
        for found in runner.measure([_honest(size)] * 2, ROUNDS):
            print(f"clock, honest of {size}: {found}", flush=True)
            if not isinstance(found, Measured):
                wrong.append(f"clock: honest of {size}: {found.reason}")
    return wrong


def _honest(size: int) -> Trial:
    blocks = -(-size // THREADS)
    return _sums(GRID.format(n=size, threads=THREADS, body=WORK), size, blocks)


def _sums(source: str, size: int, blocks: int) -> Trial:
    names = ("x", "y", "z")
    roles = ("input", "input", "output")
    buffers = tuple(
        Buffer(name, "f32", (size,), role)
        for name, role in zip(names, roles, strict=True)
    )
    launch = Launch("f", names, (blocks, 1, 1), (THREADS, 1, 1))
    program = Program("cuda", source, buffers, (launch,))
    drawn = np.random.default_rng(0).standard_normal((3, 2, size)).astype(np.float32)
    drawn[:, 0, 0] = 7
    return Trial(program, tuple(_case(x, y) for x, y in drawn))


def _case(x: Array, y: Array) -> Case:
    wanted = x + y

    def accepts(outputs: Arrays) -> str:
        return "" if np.array_equal(outputs["z"], wanted) else "'z' is not x + y"

    return Case({"x": x, "y": y}, accepts)
