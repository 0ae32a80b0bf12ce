"""What kernels may use, per target: the allow-lists of the text gate, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

KEYWORDS = frozenset(
    "auto bool break case char const continue default do double else enum extern float "
    "for goto if inline int long register restrict return short signed sizeof static "
    "struct switch typedef union unsigned void volatile while typeof true false "
    "_Bool _Float16 _Static_assert _Alignas _Alignof alignas alignof static_assert "
    "__restrict __restrict__ __inline __inline__ __const __volatile__ __attribute__ "
    "__int128 __extension__ __bf16".split()
)
CXX = frozenset(
    "class constexpr decltype explicit private protected public template this typename "
    "using noexcept nullptr static_cast reinterpret_cast const_cast".split()
)
HARNESS = frozenset(
    "mbc_run mbc_launch mbc_same_bits mbc_shared main _start roi_begin roi_end "
    "emulated buffer_bytes buffers arena step load_image store_image Pointer".split()
)
"""Names of the code around a candidate: no macro may stand for one of them."""

DENIED = {
    "asm": re.compile(r"asm|__asm|__asm__"),
    "output": re.compile(r"f?printf|puts|putchar|assert|__assert\w*|abort|exit|trap"),
    "memory": re.compile(r"malloc|calloc|realloc|free|alloca|mmap"),
    "clock": re.compile(
        r"clock|clock64|rdcycle\w*|rdtime\w*|rdinstret\w*|globaltimer\w*|__rdtsc\w*|"
        r"__nanosleep|__globaltimer\w*|__riscv_vlenb|__clock\w*"
    ),
    "launch": re.compile(
        r"cuda[A-Z]\w*|cu[A-Z]\w*|cooperative_groups|enqueue_\w+|"
        r"get_default_queue|queue_t|ndrange_t|clk_event_t"
    ),
    "pipe": re.compile(r"pipe|__pipe|\w+_pipe|reserve_id_t"),
    "harness": re.compile(
        "mbc_run|mbc_launch|mbc_same_bits|mbc_shared|main|_start|roi_begin|roi_end|"
        "emulated|buffer_bytes"
    ),
    "atomics": re.compile(
        r"atom(?:ic)?_(?:xchg|cmpxchg)|atomic(?:Add|Sub|Exch|CAS)(?:_block|_system)?"
    ),
    "storage": re.compile(r"_Thread_local|thread_local|_Atomic|__thread|__managed__"),
    "language": re.compile(r"goto|_Generic|_Pragma|__pragma"),
    "environment": re.compile(
        r"__FILE__|__BASE_FILE__|__TIME__|__DATE__|__TIMESTAMP__|__COUNTER__|"
        r"__FILE_NAME__|__INCLUDE_LEVEL__|__has_\w+|__LINE__"
    ),
}
"""Words that no kernel may contain, wherever they stand, and the rule they break.

Atomics whose result, or whose sum of floats, depends on the order of arrival are among
them: nothing declares that. Those of integers that commute are not."""

DENIED_CXX = re.compile(
    "operator|virtual|throw|try|catch|typeid|dynamic_cast|friend|namespace|new|delete|"
    "co_await|co_yield|co_return|concept|requires|export|import|module"
)
ATTRIBUTES = frozenset(
    "aligned always_inline noinline unused packed reqd_work_group_size "
    "work_group_size_hint vec_type_hint opencl_unroll_hint intel_reqd_sub_group_size "
    "ext_vector_type vector_size".split()
)
BUILTINS = re.compile(
    r"__builtin_(?:(?:inf|nan|huge_val|fabs|copysign|sqrt|fma|fmin|fmax|floor|ceil|"
    r"trunc|rint|nearbyint|round|roundeven|isnan|isinf|isfinite|signbit)f?|"
    r"bswap(?:16|32|64)|(?:clz|ctz|ffs|popcount|parity)l{0,2}|expect|unreachable|"
    r"assume|assume_aligned|prefetch|memcpy|memset|memmove|shufflevector|"
    r"convertvector|bit_cast|elementwise_\w+|reduce_\w+|"
    r"(?:add|sub|mul)_overflow)"
)
PRAGMAS = re.compile(
    r"unroll(?: \(? ?\w+ ?\)?)?|nounroll|ivdep|GCC (?:unroll \w+|ivdep)|"
    r"STDC FP_CONTRACT (?:ON|OFF|DEFAULT)|clang fp contract \( (?:off|on|fast) \)|"
    r"clang loop (?:(?:unroll|unroll_count|vectorize|interleave|vectorize_width|"
    r"interleave_count) \( \w+ \) ?)+|"
    r"OPENCL EXTENSION cl_khr_(?:fp64|fp16|\w+_atomics) : enable"
)
COMMON_TYPES = r"\w+_t|bool|char|short|int|long|float|double|signed|unsigned|void"


@dataclass(frozen=True)
class Language:
    keywords: frozenset[str]
    includes: frozenset[str]
    reserved: re.Pattern[str]
    """Words that begin with an underscore and may be used."""
    calls: re.Pattern[str]
    """Functions that the target itself provides."""
    types: re.Pattern[str]
    entry: frozenset[str] = frozenset()
    """One of these marks a function that is launched."""
    constants: frozenset[str] = field(default=frozenset({"const"}))
    templates: bool = False


FLOAT_FUNCTIONS = (
    "acos|acosh|asin|asinh|atan|atan2|atanh|cbrt|ceil|copysign|cos|cosh|cospi|erf|erfc|"
    "exp|exp10|exp2|expm1|fabs|fdim|floor|fma|fmax|fmin|fmod|frexp|hypot|ilogb|ldexp|"
    "lgamma|log|log10|log1p|log2|logb|modf|nan|nextafter|pow|remainder|rint|round|"
    "rsqrt|sin|sincos|sinh|sinpi|sqrt|tan|tanh|tgamma|trunc"
)
RVV = Language(
    KEYWORDS,
    frozenset({"<riscv_vector.h>", "<stddef.h>", "<stdint.h>"}),
    re.compile(r"__riscv_v(?!(?:read|write)_csr|lenb)\w+"),
    re.compile(r"__riscv_v\w+|memcpy|memset|memmove|memcmp|u?int\d+_c"),
    re.compile(rf"{COMMON_TYPES}|_Float16|__bf16|_Bool|__int128"),
)
OPENCL = Language(
    KEYWORDS
    | frozenset(
        "kernel __kernel global __global local __local constant __constant private "
        "__private half read_only __read_only write_only __write_only".split()
    ),
    frozenset(),
    re.compile(r"__(?:kernel|global|local|constant|private|read_only|write_only)"),
    re.compile(
        rf"(?:native_|half_)?(?:{FLOAT_FUNCTIONS}|divide|recip|powr)|pown|powr|rootn|"
        r"maxmag|minmag|fract|mad|remquo|atan2pi|acospi|asinpi|atanpi|tanpi|nan|"
        r"get_(?:work_dim|global_(?:size|id|offset|linear_id)|local_(?:size|id|"
        r"linear_id)|num_groups|group_id|image_\w+|enqueued_local_size)|"
        r"v(?:load|store)(?:a?_half)?(?:2|3|4|8|16)?(?:_rt[ezpn])?|"
        r"(?:convert|as)_\w+|as_\w+|"
        r"abs|abs_diff|add_sat|hadd|rhadd|clamp|clz|ctz|popcount|mad24|mul24|mad_hi|"
        r"mad_sat|mul_hi|max|min|rotate|sub_sat|upsample|degrees|radians|mix|step|"
        r"smoothstep|sign|cross|dot|distance|length|normalize|fast_\w+|is\w+|any|all|"
        r"bitselect|select|signbit|shuffle|shuffle2|vec_step|barrier|mem_fence|"
        r"read_mem_fence|write_mem_fence|async_work_group_(?:strided_)?copy|"
        r"wait_group_events|prefetch|atom(?:ic)?_\w+|sub_group_\w+|work_group_\w+|"
        r"get_sub_group_\w+|(?:read|write)_image\w+"
    ),
    re.compile(
        rf"{COMMON_TYPES}|half|uchar|ushort|uint|ulong|event_t|"
        r"(?:u?(?:char|short|int|long)|float|double|half)(?:2|3|4|8|16)"
    ),
    frozenset({"kernel", "__kernel"}),
    frozenset({"constant", "__constant"}),
)
CUDA = Language(
    KEYWORDS | CXX,
    frozenset({"<cuda_fp16.h>", "<cuda_bf16.h>", "<stdint.h>", "<mma.h>"}),
    re.compile(
        r"__(?:global|device|forceinline|noinline|restrict|launch_bounds|shared|"
        r"constant|align|grid_constant|inline_hint|host)__|"
        r"__(?:half2?|nv_bfloat162?|syncthreads(?:_(?:and|or|count))?|syncwarp|"
        r"threadfence(?:_block)?|ldg|ldca|ldcg|ldcs|stcg|stcs|stwb|stwt|"
        r"shfl(?:_(?:up|down|xor))?_sync|(?:all|any|ballot|activemask)(?:_sync)?|"
        r"match_(?:any|all)_sync|reduce_\w+_sync|f[a-z]+_r[nzud]|d[a-z]+_r[nzud]|"
        r"fdividef|saturatef|(?:exp|exp10|log|log2|log10|sin|cos|tan|pow|sincos)f|"
        r"h[a-z0-9]+(?:_r[nzud])?|low2\w+|high2\w+|lows?2\w+|half\w+|"
        r"halves2\w+|(?:float|double|int|uint|short|ushort|ll|ull|bfloat16|longlong)"
        r"\w*2\w+|\w+_as_\w+|u?mul(?:24|hi|64hi)|umul\w+|popcl?l?|clz(?:ll)?|ffs(?:ll)?|"
        r"brev(?:ll)?|byte_perm|funnelshift_\w+|[us]?sad|[ur]*hadd|dp[24]a\w*|v[a-z0-9]+|"
        r"pipeline_\w+|cvta_generic_to_shared|isnan|hisnan2?)"
    ),
    re.compile(
        rf"(?:{FLOAT_FUNCTIONS})f?|rcbrtf?|normcdff?|erfc(?:inv|x)f?|fdividef|"
        r"(?:ll|u?ll?)?(?:max|min|abs)|labs|llabs|signbit|isnan|isinf|isfinite|"
        r"l?l?rintf?|l?l?roundf?|nearbyintf?|scalbnf?|atomic[A-Z]\w+|make_\w+\d|"
        r"h(?:sqrt|rsqrt|exp|exp2|exp10|log|log2|log10|sin|cos|rcp|floor|ceil|rint|"
        r"trunc)|h2\w+|memcpy|memset|tex\w*"
    ),
    re.compile(
        rf"{COMMON_TYPES}|__half2?|half2?|__nv_bfloat162?|"
        r"u?(?:char|short|int|long|longlong)[1234]|(?:float|double)[1234]|nv_bfloat162?"
    ),
    frozenset({"__global__"}),
    frozenset({"const", "constexpr", "__constant__"}),
    templates=True,
)
LANGUAGES = {"rvv": RVV, "opencl": OPENCL, "cuda": CUDA}

MARKS = {
    "rvv": re.compile(r"\b__riscv_\w+|\briscv_vector\.h"),
    "opencl": re.compile(r"\b__kernel\b"),
    "cuda": re.compile(r"\b__global__"),
}
"""What only texts of that target have."""
