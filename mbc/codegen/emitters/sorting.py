"""What sorts say alike in all languages: an element's number, and the result's rows."""

from __future__ import annotations

from typing import Any

from mbc.codegen.expression import UNSIGNED, load_text, store_text
from mbc.codegen.families.sort import SortMatch
from mbc.codegen.program import Buffer
from mbc.codegen.targets import Target
from mbc.ir.types import element_of, is_float


def result_names(match: SortMatch) -> tuple[str, str]:
    """The buffers of values and places, in whichever order they are yielded."""
    values = list(match.kernel.terminator.values)
    first = values.index(match.op.values)
    return f"r{first}", f"r{1 - first}"


def sort_context(match: SortMatch, target: Target) -> dict[str, Any]:
    """Names and statements of the templates; `i` is a place, `at` an element."""
    element = element_of(match.op.input)
    values, places = result_names(match)
    value = load_text(match.dtype, "a0", "at")
    kept = load_text(match.dtype, "a0", "source")
    return {
        "long": target.types["i64"],
        "key": _key(match, value, is_float(element), target),
        "has_keys": match.has_keys,
        "descending": match.op.bool_of("descending"),
        "store_value": store_text(match.dtype, values, "to", kept),
        "store_place": store_text("i64", places, "to", "place"),
        "length": match.length,
        "inner": match.inner,
        "count": match.count,
        "rows": match.rows,
        "selects": match.selects,
        "is_f32_row": match.dtype == "f32" and match.inner == 1,
        "padded": match.padded,
    }


def _key(match: SortMatch, value: str, floating: bool, target: Target) -> list[str]:
    if match.has_keys:
        form = _double_key if floating else _long_key
        return form(match, value, target.types["i64"])
    return _float_key(value) if floating else _integer_key(match, value)


def _float_key(value: str) -> list[str]:
    """Ordered as whole numbers: -0.0 is 0.0, and all NaN are above infinity."""
    return [
        f"const float x = {value};",
        "const int bits = x == 0 ? 0 : x != x ? 0x7fffffff : mbc_bitcast_f32_i32(x);",
        "const int key = bits ^ (bits >> 31 & 0x7fffffff);",
    ]


def _double_key(match: SortMatch, value: str, long: str) -> list[str]:
    most = "0x7fffffffffffffff"
    return [
        f"const double x = {value};",
        f"const {long} bits = x == 0 ? 0 : x != x ? {most} : mbc_bitcast_f64_i64(x);",
        f"const {long} key = bits ^ (bits >> 63 & {most});",
    ]


def _integer_key(match: SortMatch, value: str) -> list[str]:
    if not match.op.bool_of("unsigned"):
        return [f"const int key = {value};"]
    unsigned = UNSIGNED[match.dtype]
    if match.dtype == "i32":
        return [f"const int key = (int)(({unsigned}){value} ^ 0x80000000u);"]
    return [f"const int key = ({unsigned}){value};"]


def _long_key(match: SortMatch, value: str, long: str) -> list[str]:
    if not match.op.bool_of("unsigned"):
        return [f"const {long} key = {value};"]
    unsigned = UNSIGNED[match.dtype]
    return [f"const {long} key = ({long})(({unsigned}){value} ^ 0x8000000000000000u);"]


def scratch(match: SortMatch, rows: int) -> tuple[Buffer, ...]:
    """Numbers of a row twice, for merges from one half to the other, or the best; and
    the keys of a row, where numbers do not hold them."""
    numbers = match.count if match.selects else 2 * match.length
    found = (Buffer("s0", "i64", (rows, numbers), "scratch"),)
    if not match.has_keys:
        return found
    return (*found, Buffer("s1", "i64", (rows, match.length), "scratch"))
