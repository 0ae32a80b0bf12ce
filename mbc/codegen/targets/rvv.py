"""RISC-V Vector: C11 with `riscv_vector.h`, VLEN-agnostic, one thread."""

from __future__ import annotations

from mbc.codegen.targets import Option, Peaks, Target

RVV = Target(
    name="rvv",
    simt=False,
    suffix=".c",
    types={
        "f64": "double",
        "f32": "float",
        "bf16": "uint16_t",
        "f16": "_Float16",
        "i64": "int64_t",
        "i32": "int32_t",
        "i16": "int16_t",
        "i8": "int8_t",
        "i1": "uint8_t",
        "index": "int64_t",
    },
    kernel="static void",
    pointer="",
    restrict="restrict",
    work_item="",
    function_prefix="mbc_",
    float_suffix="f",
    own_functions=frozenset(),
    declared={
        "vlen": Option(
            256,
            (128, 256, 512, 1024),
            "VLEN that schedules are chosen for; the code runs at any VLEN",
        ),
    },
    kernel_pipeline="pack-operand",
    peaks=Peaks(
        unit="cycle",
        flops=16,  # one 8-lane multiply-add per cycle at DLEN 256
        bandwidth=16,  # MLEN 128
        launch=20,
        lanes=8,
        units=1,
        cache_bytes=32 * 1024,
    ),
    prelude="rvv/prelude.h.j2",
    headers={
        "scalar_math": "common/scalar_math.h",
        "scalar_inverse": "common/scalar_inverse.h",
        "vector_math": "rvv/vector_math",
        "moves": "rvv/moves.h.j2",
    },
    build_notes=(
        "clang --target=riscv64-unknown-elf -march=rv64gcv_zvfh_zfh_zba_zbb "
        "-mabi=lp64d -O3 -ffp-contract=off"
    ),
)
