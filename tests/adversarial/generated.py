"""Rows without files: emitted kernels under many schedules, and texts of a bad size."""

from __future__ import annotations

from tests.adversarial.corpus import Row, entries

VADD = {
    "rvv": (
        "static void vadd(const float *a0, const float *a1, float *r0) {\n"
        "  for (size_t i = 0; i < COUNT; i++) r0[i] = a0[i] + a1[i];\n}\n"
    ),
    "opencl": (
        "__kernel void vadd(__global const float *a0, __global const float *a1,\n"
        "    __global float *r0) {\n  for (int i = get_global_id(0); i < COUNT;\n"
        "      i += get_global_size(0)) r0[i] = a0[i] + a1[i];\n}\n"
    ),
    "cuda": (
        'extern "C" __global__ void vadd(const float *a0, const float *a1,\n'
        "    float *r0) {\n  for (int i = threadIdx.x; i < COUNT; i += blockDim.x)\n"
        "    r0[i] = a0[i] + a1[i];\n}\n"
    ),
}
"""Honest texts that only their surroundings make hostile."""

EMITTED: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {
    ("rvv", ""): {
        "vadd": ("", "vector=1 unroll=4", "vector=8 unroll=1"),
        "gelu": ("vector=2",),
        "sigmoid": ("vector=1",),
        "relu": ("vector=8 unroll=4",),
        "rowsum": ("vector=8 unroll=1", "vector=1 unroll=2"),
        "rowmax": ("vector=2",),
        "softmax": ("", "vector=1 unroll=2"),
        "gemm": ("", "tile=4, vector=2 unroll=4", "tile=1, vector=8 unroll=1"),
        "transpose": ("",),
    },
    ("opencl", ""): {
        "vadd": ("vector=4 parallel=16",),
        "gelu": ("vector=8",),
        "rowsum": ("vector=4 parallel=4",),
        "rowmax": ("",),
        "softmax": ("", "vector=8 parallel=16"),
        "gemm": ("", "tile=4x2 vector=8", "tile=1x4 unroll=4"),
        "transpose": ("",),
    },
    ("opencl", "style=gpu"): {
        "vadd": ("vector=2 unroll=4",),
        "sigmoid": ("parallel=128",),
        "rowsum": ("", "vector=1 parallel=256"),
        "softmax": ("", "parallel=64"),
        "gemm": ("", "tile=32x32x16 parallel=8x8"),
    },
    ("cuda", ""): {
        "vadd": ("", "vector=1 unroll=4 parallel=128"),
        "gelu": ("vector=2",),
        "rowsum": ("", "vector=1 parallel=256"),
        "rowmax": ("parallel=64",),
        "softmax": ("", "vector=1 parallel=128"),
        "gemm": ("", "tile=32x32x16 parallel=8x8"),
        "transpose": ("",),
    },
}
"""By target and its options: schedules of kernels, empty for the default one."""


def emitted_rows() -> list[Row]:
    return [
        Row(
            " ".join(part for part in (target, options, label, schedule) if part),
            target,
            label,
            options=entries(options),
            schedule=entries(schedule),
        )
        for (target, options), kernels in EMITTED.items()
        for label, schedules in kernels.items()
        for schedule in schedules
    ]


def oversized_rows() -> list[Row]:
    """Texts that would keep a compiler busy: long, deep, or one huge expression."""
    return [
        row
        for target, text in VADD.items()
        for row in (
            _row(f"huge_text {target}", target, text + "\n/* */" * 400_000),
            _row(f"many_tokens {target}", target, text + "typedef int t;\n" * 60_000),
            _row(
                f"deep_nesting {target}",
                target,
                text.replace("a0[i]", "(" * 4000 + "a0[i]" + ")" * 4000),
            ),
        )
    ]


def _row(name: str, target: str, text: str) -> Row:
    return Row(name, target, "vadd", text, kind="R17", gates=("G0", "G1"))
