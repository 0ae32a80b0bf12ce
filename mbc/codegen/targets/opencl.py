"""OpenCL C 1.2, in styles for CPU runtimes, GPUs and GPUs with a path for images."""

from __future__ import annotations

from mbc.codegen.targets import Option, Peaks, Target

OPENCL = Target(
    name="opencl",
    simt=True,
    suffix=".cl",
    types={
        "f64": "double",
        "f32": "float",
        "bf16": "ushort",
        "f16": "half",
        "i64": "long",
        "i32": "int",
        "i16": "short",
        "i8": "char",
        "i1": "uchar",
        "index": "long",
    },
    kernel="__kernel void",
    pointer="__global ",
    restrict="restrict",
    work_item="get_global_id(0)",
    function_prefix="",
    float_suffix="",
    own_functions=frozenset({"cos", "log1p", "sin", "tan"}),
    declared={
        "style": Option(
            "cpu",
            ("cpu", "gpu", "adreno"),
            "cpu: one work item per tile with wide vectors; gpu: local memory; "
            "adreno: as gpu, the right operands of contractions read as images",
        ),
    },
    kernel_pipeline="pack-operand",
    peaks=Peaks(
        unit="ns",
        flops=128,
        bandwidth=10,
        launch=10_000,
        lanes=16,
        units=2,
        cache_bytes=1024 * 1024,
    ),
    prelude="opencl/prelude.h.j2",
    headers={},
    build_notes="clBuildProgram with -cl-std=CL1.2",
    splits_reductions=True,
    alignment=512,  # of sub-buffers on NVIDIA's devices, the largest in use
)
