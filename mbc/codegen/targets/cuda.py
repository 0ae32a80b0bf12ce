"""CUDA C++ for NVRTC or nvcc."""

from __future__ import annotations

from mbc.codegen.targets import Option, Peaks, Target

WITH_MATRIX_UNIT = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100")
"""For tf32 and bf16 and behind asynchronous copies, as emitted texts use it."""

CUDA = Target(
    name="cuda",
    simt=True,
    suffix=".cu",
    types={
        "f64": "double",
        "f32": "float",
        "f16": "__half",
        "bf16": "__nv_bfloat16",
        "i64": "long long",
        "i32": "int",
        "i16": "short",
        "i8": "signed char",
        "i1": "unsigned char",
        "index": "long long",
    },
    kernel='extern "C" __global__ void',
    pointer="",
    restrict="__restrict__",
    work_item="(long)blockIdx.x * blockDim.x + threadIdx.x",
    function_prefix="",
    float_suffix="f",
    own_functions=frozenset(),
    declared={
        "arch": Option(
            "sm_90",
            ("sm_75", *WITH_MATRIX_UNIT),
            "the GPU generation that code is built for",
        ),
    },
    kernel_pipeline="pack-operand",
    peaks=Peaks(
        unit="ns",
        flops=51_000,
        bandwidth=4_300,
        launch=3_000,
        lanes=32,
        units=132,
        cache_bytes=50 * 1024 * 1024,
        # Of the data sheet; f32 takes three products of tf32.
        products={"f32": 165_000, "f16": 990_000, "bf16": 990_000},
    ),
    prelude="cuda/prelude.h.j2",
    headers={
        "f16": "cuda/f16.h.j2",
        "bf16": "cuda/bf16.h.j2",
        "matrix_unit": "cuda/matrix_unit.h.j2",
    },
    build_notes="nvcc -std=c++17 -arch=sm_90",
    alignment=256,  # what cudaMalloc gives
    most_sums=128,  # each of its work items has up to 255 registers
    contract_stages=(2, 1),
    large_block=(16, 8),  # half the threads with twice the sums
    matrix_archs=WITH_MATRIX_UNIT,
)
