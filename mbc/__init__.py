"""mbc: a model compiler that learns.

    import mbc
    module = mbc.import_model(model, example_inputs)
    artifact = mbc.lower(module, target="opencl")
    tuned = mbc.optimize(model, example_inputs, target="rvv")

Names load on first use, so that `import mbc` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbc.agent.loop import Budget as Budget
    from mbc.api.artifact import Artifact as Artifact
    from mbc.api.artifact import load as load
    from mbc.api.check import check as check
    from mbc.api.dispatch import dispatch as dispatch
    from mbc.api.lower import lower as lower
    from mbc.api.module import Module as Module
    from mbc.api.module import import_file as import_file
    from mbc.api.module import import_model as import_model
    from mbc.api.torch_backend import compile_report as compile_report
    from mbc.api.tune import optimize as optimize
    from mbc.api.tune import tune as tune
    from mbc.api.tuned import Tuned as Tuned
    from mbc.errors import MbcError as MbcError

__version__ = "0.1.0"

PUBLIC = {
    "Artifact": "mbc.api.artifact",
    "Budget": "mbc.agent.loop",
    "MbcError": "mbc.errors",
    "Module": "mbc.api.module",
    "Tuned": "mbc.api.tuned",
    "check": "mbc.api.check",
    "compile_report": "mbc.api.torch_backend",
    "dispatch": "mbc.api.dispatch",
    "import_file": "mbc.api.module",
    "import_model": "mbc.api.module",
    "load": "mbc.api.artifact",
    "lower": "mbc.api.lower",
    "optimize": "mbc.api.tune",
    "tune": "mbc.api.tune",
}


def __getattr__(name: str) -> object:
    if name not in PUBLIC:
        raise AttributeError(f"module 'mbc' has no attribute '{name}'")
    return getattr(import_module(PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*PUBLIC, "__version__"])
