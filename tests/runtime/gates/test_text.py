"""G0: every emitted kernel passes; each forbidden construct is named by its rule."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mbc.codegen.emitters import emit_kernel
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import target_named
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.attributes import Entry
from mbc.ir.kernel import KernelOp
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.languages import LANGUAGES
from mbc.runtime.gates.report import Passed, Rejected
from mbc.runtime.gates.text import check_text, inspect
from tests.codegen.nest_programs import kernels_of, nest_code
from tests.ir.samples import SAMPLES, floats, module_of
from tests.passes.programs import PROGRAMS

STYLES: list[tuple[str, Mapping[str, Entry]]] = [
    ("rvv", {}),
    ("opencl", {}),
    ("opencl", {"style": "gpu"}),
    ("cuda", {}),
]


@cache
def kernel() -> KernelOp:
    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return build.elementwise([a, b], (33,), f32, add)

    return kernels_of(module_of(floats((33,), (33,)), body))[0]


def candidate(target: str, source: str) -> Candidate:
    return Candidate(kernel(), target_named(target), source)


def emitted(target: str) -> str:
    return Candidate(kernel(), target_named(target)).code(kernel()).source


def with_statement(target: str, statement: str) -> str:
    head, _, tail = emitted(target).rpartition("}")
    return f"{head}{statement}\n}}{tail}"


def rule_of(target: str, source: str) -> str:
    result = check_text(candidate(target, source))
    return result.rule if isinstance(result, Rejected) else "passed"


@cache
def all_codes() -> list[KernelCode]:
    modules = [sample.module() for sample in SAMPLES.values()]
    modules += [program() for program in PROGRAMS.values()]
    found = [kernel for module in modules for kernel in kernels_of(module)]
    targets = [target_named(name, options) for name, options in STYLES]
    codes = [emit_kernel(kernel, t) for t in targets for kernel in found]
    return codes + [
        nest_code(kernel, f"n{i}", t) for t in targets for i, kernel in enumerate(found)
    ]


def test_emitted_kernels_pass() -> None:
    codes = all_codes()
    assert len(codes) > 400
    assert min(inspect(code, LANGUAGES[code.target]) for code in codes) > 20


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_own_text_passes(target: str) -> None:
    result = check_text(candidate(target, emitted(target)))
    assert isinstance(result, Passed), result
    assert result.checks > 50


COMMON_TEXT = {
    '#include "/etc/hostname"\n': "include",
    "#include </etc/hostname>\n": "include",
    "#define H </etc/hostname>\n#include H\n": "include",
    "#inc\\\nlude <stdio.h>\n": "include",
    "#include_next <stdint.h>\n": "preprocessor",
    "#embed </etc/passwd>\n": "preprocessor",
    '# 1 "/etc/passwd"\n': "preprocessor",
    "%:include <stdio.h>\n": "characters",
    "??=include <stdio.h>\n": "characters",
    '__asm__(".incbin \\"/etc/passwd\\"");\n': "asm",
    'a\\\nsm(".globl x");\n': "asm",
    "#define MAKE(a, b) a##b\nMAKE(as, m)(1);\n": "macros",
    "#define asm_ as\n#if 0\nasm(1);\n#endif\n": "asm",
    "float kept[4];\n": "static data",
    "static int calls = 0;\n": "static data",
    "static const float *kept = 0;\n": "static data",
    "struct kept { int calls; } kept;\n": "static data",
    "extern float outside[4];\n": "extern",
    "#pragma weak k0\n": "pragma",
    "#pragma redefine_extname k0 puts\n": "pragma",
    "#define for while\n": "redefinition",
    "#define mbc_maximum(a, b) (a)\n": "redefinition",
    "#define k0 other\n": "redefinition",
    "#define buffers other\n": "redefinition",
    "#ifdef __linux__\n#endif\n": "condition",
    "#ifdef threadIdx\n#endif\n": "condition",
    "#if __has_include(</etc/hostname>)\n#endif\n": "preprocessor",
    "__attribute__((constructor)) static void early(void) {}\n": "attribute",
    '__attribute__((section(".init"))) static void early(void) {}\n': "attribute",
    "static float turn(float x) { return turn(x); }\n": "recursion",
    "static int a(int n) { return 1; }\n#define b a\nstatic int c(int n) "
    "{ return d(n); }\n": "call",
    "typedef float turn(float);\n": "function pointer",
    "static float (*turn)(float) = 0;\n": "static data",
    "$x\n": "characters",
    "\x01\n": "characters",
    "#if 1\n": "preprocessor",
    "}\n": "syntax",
    "(" * 300 + ")" * 300 + ";\n": "nesting",
}


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
@pytest.mark.parametrize(("text", "rule"), COMMON_TEXT.items())
def test_forbidden_text(target: str, text: str, rule: str) -> None:
    assert rule_of(target, text + emitted(target)) == rule


COMMON_STATEMENTS = {
    "static int calls; calls++;": "static data",
    "static float *kept = 0;": "static data",
    'asm volatile("nop");': "asm",
    'printf("PASS");': "output",
    "((void (*)(void))4096)();": "function pointer",
    "typedef void *P; ((P)0)();": "function pointer",
    "*(volatile int *)4096 = 1;": "address",
    "int n = __builtin_return_address(0) != 0;": "builtin",
    "goto done; done:;": "language",
    "secret(1);": "call",
    "(secret)(1);": "function pointer",
    "const char *here = __FILE__;": "environment",
    "mbc_run(0, 0);": "harness",
}


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
@pytest.mark.parametrize(("statement", "rule"), COMMON_STATEMENTS.items())
def test_forbidden_statement(target: str, statement: str, rule: str) -> None:
    assert rule_of(target, with_statement(target, statement)) == rule


@pytest.mark.parametrize(
    ("target", "statement", "rule"),
    [
        ("rvv", "size_t n = __riscv_vlenb();", "clock"),
        ("rvv", "size_t n = __riscv_vread_csr(0);", "reserved name"),
        ("rvv", "_exit(0);", "call"),
        ("rvv", "sqrtf(2.f);", "call"),
        ("opencl", "enqueue_marker(0);", "launch"),
        ("opencl", "read_pipe(0, 0);", "pipe"),
        ("opencl", "__asm(0);", "asm"),
        ("cuda", "k0<<<1, 1>>>(a0, a1, r0);", "launch"),
        ("cuda", "cudaMalloc(0, 0);", "launch"),
        ("cuda", "long long t = clock64();", "clock"),
        ("cuda", "float *p = new float;", "language"),
        ("cuda", "void *p = malloc(4);", "memory"),
        ("cuda", "::secret(1);", "call"),
        ("cuda", "secret<4>(1);", "call"),
        ("cuda", "auto f = [](int x) { return x; }; f(1);", "function pointer"),
        ("cuda", "[](int x) { return x; }(1);", "function pointer"),
        ("cuda", "extern __shared__ float tile[];", "extern"),
    ],
)
def test_forbidden_on_one_target(target: str, statement: str, rule: str) -> None:
    assert rule_of(target, with_statement(target, statement)) == rule


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("rvv", "static const float table[2] = {1.f, 2.f};\n"),
        ("rvv", "#include <stdint.h>\n#define TILE (4 * 2)\n"),
        ("rvv", "typedef struct { float low, high; } pair;\n"),
        ("rvv", "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"),
        ("rvv", '// plain words: asm, printf("x"), caf\u00e9\n'),
        ("rvv", "#define T 4\n#if T % 2 == 0 && defined(T)\n#endif\n"),
        ("rvv", "static inline float half(float x) { return (float)(x) * 0.5f; }\n"),
        ("opencl", "__constant float table[2] = {1.f, 2.f};\n"),
        ("opencl", "inline float4 twice(float4 x) { return (float4)(2.f) * x; }\n"),
        ("cuda", "__device__ float half_of(float x) { return x * 0.5f; }\n"),
        ("cuda", "template <int N> __device__ int up(int x) { return x / N * N; }\n"),
        ("cuda", "__device__ float up(float x) { return mbc_sum::fold(x, 1.f); }\n"),
        ("cuda", "static constexpr int ROWS = 4;\n"),
        ("cuda", "struct Tile { float v[4]; };\nusing Row = float4;\n"),
    ],
)
def test_honest_text_passes(target: str, text: str) -> None:
    assert rule_of(target, text + emitted(target)) == "passed"


def test_macro_bomb_is_bounded() -> None:
    levels = ["#define A0 x x x x x x x x x x"]
    levels += [f"#define A{i} " + f"A{i - 1} " * 40 for i in range(1, 8)]
    text = "\n".join(levels) + "\n" + with_statement("rvv", "A7;")
    assert rule_of("rvv", text) == "macros"


def test_size_is_bounded() -> None:
    assert rule_of("rvv", " " * (1 << 20) + emitted("rvv")) == "size"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k0(", "other("),
        ("const float *restrict a0, ", ""),
        ("const float *restrict a0", "const double *restrict a0"),
        ("const float *restrict a0", "float a0"),
    ],
)
def test_wrong_signature(before: str, after: str) -> None:
    assert rule_of("rvv", emitted("rvv").replace(before, after)) == "signature"
