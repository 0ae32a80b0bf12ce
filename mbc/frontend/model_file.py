"""Models as Python files: `Model`, `get_inputs()` and, optionally, `get_init_inputs()`
and `get_dynamic_shapes()`.

The shape of KernelBench's problems. The file is run, as `python file.py` would.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any

import torch
from torch import nn

from mbc.errors import InvalidInput, Location, MbcError
from mbc.frontend.locations import error_location

SEED = 42
"""Of weights and inputs that the file does not seed itself; KernelBench's."""

Change = Callable[[ast.Module], ast.Module]


@dataclass(frozen=True)
class LoadedModel:
    model: nn.Module
    inputs: Sequence[Any]
    dynamic_shapes: Any = None
    """As torch.export takes it, where the file says which extent stays open."""


class UserCode:
    """Whatever the code inside raises becomes one sentence with the user's line."""

    def __init__(self, path: Path, what: str):
        self.path = path
        self.what = what

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, MbcError):
            return
        location = error_location(error) or Location(str(self.path))
        if isinstance(error, SyntaxError):
            location = Location(str(self.path), error.lineno or 0, error.offset or 0)
        reason = str(error).strip().partition("\n")[0]
        raise InvalidInput(
            f"{self.what} raised {type(error).__name__}: {reason}", location
        ) from error


@dataclass(frozen=True)
class ModelFile:
    """A file that was run, whose model is not made yet."""

    path: Path
    module: ModuleType

    def make(self) -> LoadedModel:
        """The model and example inputs; `InvalidInput` if the file's code fails."""
        make_model, make_inputs = defined(self.module, self.path)
        arguments: Sequence[Any] = []
        if hasattr(self.module, "get_init_inputs"):
            with UserCode(self.path, "get_init_inputs()"):
                arguments = self.module.get_init_inputs()
        with UserCode(self.path, "Model()"):
            model = make_model(*arguments)
        if not isinstance(model, nn.Module):
            place = Location(str(self.path))
            raise InvalidInput("Model is not a torch.nn.Module", place)
        with UserCode(self.path, "get_inputs()"):
            inputs = list(make_inputs())
        dynamic_shapes = None
        if hasattr(self.module, "get_dynamic_shapes"):
            with UserCode(self.path, "get_dynamic_shapes()"):
                dynamic_shapes = self.module.get_dynamic_shapes()
        return LoadedModel(model, inputs, dynamic_shapes)


def load_model_file(path: Path | str) -> LoadedModel:
    """The model, in evaluation mode, and the inputs that a file defines."""
    path = Path(path)
    with seeded():
        loaded = ModelFile(path, run(path)).make()
    loaded.model.eval()
    return loaded


@contextmanager
def seeded() -> Generator[None]:
    """Random numbers of the code inside are the same each time, others untouched."""
    random: Any = torch.random
    with random.fork_rng(devices=[]):
        random.manual_seed(SEED)
        yield


def run(path: Path, change: Change | None = None) -> ModuleType:
    """The file as a module, which `import` does not find afterwards.

    Its tree goes through `change` before.
    """
    if not path.is_file():
        raise InvalidInput(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(f"mbc_model_{path.stem}", path)
    if spec is None:
        raise InvalidInput(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their own module up while the file runs.
    sys.modules[spec.name] = module
    try:
        with UserCode(path, f"{path.name}"):
            exec(compiled(path, change), module.__dict__)
    finally:
        del sys.modules[spec.name]
    return module


def compiled(path: Path, change: Change | None) -> CodeType:
    tree = ast.parse(path.read_bytes(), str(path))
    return compile(change(tree) if change else tree, str(path), "exec")


def defined(module: ModuleType, path: Path) -> tuple[Callable[..., Any], ...]:
    """`Model` and `get_inputs`; one sentence names all that are missing."""
    names = ("Model", "get_inputs")
    missing = [name for name in names if not hasattr(module, name)]
    if missing:
        raise InvalidInput(
            f"the file does not define {' or '.join(missing)}; a model file defines "
            "Model and get_inputs()",
            Location(str(path)),
        )
    return tuple(getattr(module, name) for name in names)
