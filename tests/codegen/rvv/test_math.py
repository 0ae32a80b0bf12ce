"""Scalar functions in double, which float ones go through, against NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from mbc.codegen.emitters.rvv.headers import header_text
from mbc.codegen.program import Buffer, Launch, Program
from mbc.ir.scalars import erf, round_half_away
from mbc.runtime.outcome import Completed
from mbc.runtime.rvv.runner import RvvRunner

Doubles = npt.NDArray[np.float64]
Function = Callable[[Doubles], Doubles]

SPECIAL = [
    *[0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan],
    *[-np.nan, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38, 88.7, 88.8, 89.3, -87.4],
    *[-103.0, -104.0, 8388607.5, -8388609.0, 1e9, -1e9],
]


def erf_of(x: Doubles) -> Doubles:
    return np.asarray(erf(x), np.float64)


SCALAR: dict[str, Function] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cosh": np.cosh,
    "sinh": np.sinh,
    "ceil": np.ceil,
    "cos": np.cos,
    "erf": erf_of,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fabs": np.abs,
    "floor": np.floor,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "rint": np.rint,
    "round": round_half_away,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}


def sample(count: int = 3000) -> npt.NDArray[np.float32]:
    """Every exponent, the neighbourhood of 0 in detail, and special values."""
    random = np.random.default_rng(1)
    bits = random.integers(0, 2**32, count, np.uint32).view(np.float32)
    bits = np.where(np.isnan(bits), 0, bits)  # a signaling NaN makes NumPy warn
    near = random.uniform(-12, 12, count).astype(np.float32)
    wide = random.uniform(-110, 95, count).astype(np.float32)
    return np.concatenate([bits, near, wide, np.array(SPECIAL, np.float32)])


def ulps(found: Doubles, wanted: Doubles, dtype: type[np.floating]) -> Doubles:
    """Distance in units of the last place of `dtype`; 0 where both are not finite and
    alike. Results below the smallest normal number count as zero."""
    tiny, largest = (float(getattr(np.finfo(dtype), n)) for n in ("tiny", "max"))
    low = 4 * tiny
    wanted = np.where(np.abs(wanted) < low, 0, wanted)
    found = np.where(np.abs(found) < low, 0, found)
    overflow = np.abs(wanted) > largest
    wanted = np.where(overflow, np.copysign(np.inf, wanted), wanted)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    exponent = np.floor(np.log2(np.maximum(np.abs(wanted), tiny)))
    unit = np.exp2(exponent) * float(np.finfo(dtype).eps)
    with np.errstate(invalid="ignore"):
        distance = np.nan_to_num(np.abs(found - wanted) / unit, nan=np.inf)
    return np.where(same, 0, distance)


def run(
    runner: RvvRunner, source: str, names: list[str], x: npt.NDArray[np.generic]
) -> dict[str, Doubles]:
    """Runs `f_<name>(x, y)` for every name; results are called y_<name>."""
    dtype = {"float32": "f32", "float64": "f64"}[str(x.dtype)]
    shape = x.shape
    buffers = [Buffer("x", dtype, shape, "input")]
    buffers += [Buffer(f"y_{name}", dtype, shape, "output") for name in names]
    launches = tuple(Launch(f"f_{name}", ("x", f"y_{name}")) for name in names)
    outcome = runner.run(Program("rvv", source, tuple(buffers), launches), {"x": x})
    assert isinstance(outcome, Completed), outcome
    return {name: outcome.outputs[f"y_{name}"].astype(np.float64) for name in names}


def scalar_source(count: int, type: str, suffix: str) -> str:
    source = header_text({"scalar_math"})
    for name in SCALAR:
        source += (
            f"static void f_{name}(const {type} *x, {type} *y) {{\n"
            f"  for (int i = 0; i < {count}; i++)\n"
            f"    y[i] = mbc_{name}{suffix}(x[i]);\n}}\n"
        )
    return source


def test_scalar_functions_in_double(runner: RvvRunner) -> None:
    x = sample(500).astype(np.float64)
    x = np.concatenate([x, x[:300] * 1e-30, [1e22, -1e300, 709.7, -745.0, 1e-310]])
    found = run(runner, scalar_source(len(x), "double", ""), list(SCALAR), x)
    allowed = {"erf": 8.0}
    worst = worst_scalars(found, x, np.float64, 4.0)
    assert {n: w for n, w in worst.items() if w[1] > allowed.get(n, 4.0)} == {}


def worst_scalars(
    found: dict[str, Doubles], x: Doubles, dtype: type[np.floating], allowed: float
) -> dict[str, tuple[float, float]]:
    worst: dict[str, tuple[float, float]] = {}
    for name, function in SCALAR.items():
        with np.errstate(all="ignore"):
            error = ulps(found[name], np.asarray(function(x), np.float64), dtype)
        at = int(np.argmax(error))
        if error[at] > allowed:
            worst[name] = (float(x[at]), float(error[at]))
    return worst


@pytest.mark.parametrize(("dtype", "suffix"), [("float32", "f"), ("float64", "")])
def test_remainders_are_exact(runner: RvvRunner, dtype: str, suffix: str) -> None:
    x = np.random.default_rng(3).permutation(sample(400)).astype(dtype)
    x = np.concatenate([x, [1e300 if suffix == "" else 1e38, 3e-45]]).astype(dtype)
    x = x[: len(x) // 2 * 2].reshape(-1, 2)
    type = {"float32": "float", "float64": "double"}[dtype]
    source = header_text({"scalar_math"}) + (
        f"static void f_rest(const {type} *x, {type} *y) {{\n"
        f"  for (int i = 0; i < {x.size}; i += 2)\n"
        f"    y[i] = mbc_fmod{suffix}(x[i], x[i + 1]), y[i + 1] = 0;\n}}\n"
    )
    found = run(runner, source, ["rest"], x)["rest"][:, 0]
    with np.errstate(invalid="ignore"):
        wanted = np.fmod(x[:, 0], x[:, 1]).astype(np.float64)
    np.testing.assert_array_equal(found, wanted)
    number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(wanted[number]))


def test_powers(runner: RvvRunner) -> None:
    bases = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.3, -0.3, 7.5, np.inf, -np.inf, np.nan]
    exponents = [*bases, 3.0, -3.0, 4.0, 0.5, -1.5, 1e10, 9.0, 10.0, 1e-3]
    x = np.array([(a, b) for a in bases for b in exponents], np.float32)
    source = header_text({"scalar_math"}) + (
        "static void f_pow(const float *x, float *y) {\n"
        f"  for (int i = 0; i < {2 * len(x)}; i += 2)\n"
        "    y[i] = mbc_powf(x[i], x[i + 1]), y[i + 1] = 0;\n}\n"
    )
    found = run(runner, source, ["pow"], x)["pow"][:, 0]
    with np.errstate(all="ignore"):
        wanted = np.power(x[:, 0].astype(np.float64), x[:, 1].astype(np.float64))
    error = ulps(found, wanted, np.float32)
    assert x[error > 0.501].tolist() == []
