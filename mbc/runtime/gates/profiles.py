"""Value profiles: what the floats of a case look like, as changes to normal draws.

Every profile keeps signs where it scales, so that what must be positive stays it; a
profile under which the reference is undefined is left out by `cases`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import ml_dtypes
import numpy as np
from xdsl.ir import Block

from mbc.ir.types import Array
from mbc.runtime.inputs import random_arguments

Profile = Literal[
    "normal",
    "positive",
    "negative",
    "large",
    "tiny",
    "denormal",
    "constant",
    "cancelling",
    "infinite",
    "nan",
]
PROFILES: tuple[Profile, ...] = (
    "normal",
    "negative",
    "large",
    "tiny",
    "denormal",
    "constant",
    "cancelling",
    "infinite",
    "nan",
)
LARGE_SHARES = (0.45, 0.2, 0.1, 0.03)
"""Of the dtype's largest exponent; the first that the reference survives is used."""
TINY_SHARE = 0.3
HEADROOM = 6
"""Powers of two that a large case leaves to intermediates of another algebra."""
SPECIAL: dict[Profile, float] = {"infinite": np.inf, "nan": np.nan}


def draw(block: Block, profile: Profile, seed: int, power: float = 0.0) -> list[Array]:
    """One array per argument; `power` is the power of two of a large profile."""
    arrays = random_arguments(block, seed)
    rng = np.random.default_rng((seed, 1))
    floats = [i for i, array in enumerate(arrays) if is_float_array(array)]
    if profile in SPECIAL:
        return _with_special(arrays, floats, SPECIAL[profile], rng)
    for index in floats:
        arrays[index] = _changed(arrays[index], profile, power, rng)
    return arrays


def is_float_array(array: Array) -> bool:
    """ml_dtypes' bfloat16 is of kind "V" or "f" by version; integers never are."""
    return array.dtype.kind not in "iub"


def large_powers(arrays: Sequence[Array]) -> list[float]:
    """Powers of two to try, from what the narrowest float among `arrays` holds."""
    floats = [array for array in arrays if is_float_array(array)]
    if not floats:
        return []
    top = min(int(limits_of(array.dtype).maxexp) for array in floats)
    return [float(int(share * top)) for share in LARGE_SHARES]


def limits_of(dtype: np.dtype[Any]) -> Any:
    """Largest and smallest numbers of a float dtype."""
    limits: Any = ml_dtypes.finfo
    return limits(dtype)


def _changed(
    array: Array, profile: Profile, power: float, rng: np.random.Generator
) -> Array:
    values = np.asarray(array, np.float64)
    limits = limits_of(array.dtype)
    match profile:
        case "positive":
            values = np.abs(values) + 0.125
        case "negative" if not bool((values >= 0).all()):
            values = -np.abs(values) - 0.125
        case "large":
            values = values * 2.0**power
        case "tiny":
            values = values * 2.0 ** int(TINY_SHARE * int(limits.minexp))
        case "denormal":
            values = values * float(limits.smallest_normal) / 8
        case "constant":
            values = np.full(values.shape, 0.5 + rng.integers(1, 8) / 8)
        case "cancelling":
            values = _cancelling(values, rng)
        case _:
            pass
    return values.astype(array.dtype)


def _cancelling(values: Array, rng: np.random.Generator) -> Array:
    """Neighbours along the last axis all but cancel; positive arrays stay positive."""
    if values.ndim == 0 or values.shape[-1] < 2 or bool((values >= 0).all()):
        return values
    pairs = values.shape[-1] // 2
    rest = 1 + rng.standard_normal((*values.shape[:-1], pairs)) / 64
    made = values.copy()
    made[..., 1 : 2 * pairs : 2] = -made[..., 0 : 2 * pairs : 2] * rest
    return made


def _with_special(
    arrays: list[Array], floats: list[int], value: float, rng: np.random.Generator
) -> list[Array]:
    """One element of one float operand is `value`."""
    sized = [i for i in floats if arrays[i].size > 0]
    if not sized:
        return arrays
    chosen = arrays[sized[int(rng.integers(len(sized)))]]
    chosen.reshape(-1)[int(rng.integers(chosen.size))] = value
    return arrays
