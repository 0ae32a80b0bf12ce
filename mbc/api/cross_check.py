"""What another compiler's importer makes of a model, beside what mbc makes of it.

torch-mlir lowers the same PyTorch model to linalg on tensors; `execute` runs that text,
and its results must lie within the bound that mbc's own IR gives. Two importers that
were written apart rarely share a mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from mbc.api.agreement import Differs, Equal, values_of
from mbc.api.module import to_numpy
from mbc.errors import InvalidInput, ToolMissing
from mbc.frontend.foreign import adopt
from mbc.frontend.imported import ImportedModel
from mbc.ir.execute import execute, function_named
from mbc.ir.text import parse_module
from mbc.ir.types import Array
from mbc.runtime.bound import Expected, Mismatch, expected_results
from mbc.runtime.bound import compare as compare_results

if TYPE_CHECKING:
    from torch import nn

INSTALL = "pip install 'mbc[torch-mlir]'"


def missing_importer() -> str:
    """Why there is no second importer here, or the empty string."""
    found = find_spec("torch_mlir")
    return "" if found else f"torch-mlir is not installed; install: {INSTALL}"


def cross_check(
    model: nn.Module, inputs: Sequence[Any], imported: ImportedModel
) -> Equal | Differs:
    """`InvalidInput` where torch-mlir, or mbc its text, cannot be taken.

    The model's parameters are torch-mlir's constants; its arguments are the tensors
    and numbers of `inputs`.
    """
    module, constants = linalg_of(model, inputs)
    given = [_array(v) for v in inputs if hasattr(v, "shape") or _is_number(v)]
    values = values_of(imported, inputs)
    expected = expected_results(imported.module, list(values.values()))
    wanted = _outputs(function_named(imported.module, "forward"), expected)
    got = execute(module, [*given, *constants.values()])
    if len(got) != len(wanted):
        raise InvalidInput(f"torch-mlir returns {len(got)} results, not {len(wanted)}")
    verdict = compare_results(wanted, got)
    if isinstance(verdict, Mismatch):
        return Differs(f"torch-mlir: {verdict}")
    return Equal(verdict.worst, 0.0)


def linalg_of(
    model: nn.Module, inputs: Sequence[Any]
) -> tuple[ModuleOp, dict[str, Array]]:
    """torch-mlir's linalg on tensors, its large constants as arguments."""
    missing = missing_importer()
    if missing:
        raise ToolMissing(missing)
    fx: Any = import_module("torch_mlir.fx")
    try:
        made = fx.export_and_import(model, *inputs, output_type="linalg-on-tensors")
    except Exception as error:  # whatever another project raises
        words = " ".join(str(error).split())[:200]
        name = type(error).__name__
        raise InvalidInput(f"torch-mlir refuses it: {name}: {words}") from error
    module = parse_module(str(made), "torch-mlir's text")
    return module, adopt(module)


def _outputs(function: func.FuncOp, expected: Sequence[Expected]) -> list[Expected]:
    """Without values that take the place of parameters and inputs."""
    named = enumerate(function.res_attrs or ())
    return [expected[i] for i, entry in named if "mbc.output" in entry.data]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _array(value: Any) -> Array:
    return np.asarray(value) if _is_number(value) else to_numpy(value)
