"""Imports between the layers of mbc only go down, and heavy packages load on demand."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

MAY_IMPORT: dict[str, set[str]] = {
    "cli": {"api", "agent", "runtime", "passes", "codegen", "frontend", "ir"},
    "api": {"agent", "runtime", "passes", "codegen", "frontend", "ir"},
    "agent": {"runtime", "passes", "codegen", "ir"},
    "runtime": {"codegen", "ir"},
    "passes": {"codegen", "ir"},
    "codegen": {"ir"},
    "frontend": {"ir"},
    "ir": set(),
}
"""By layer; `mbc.errors` is open to all, and `mbc.universe` may name anything."""

PASSES_MAY_USE = ("mbc.codegen.families", "mbc.codegen.targets", "mbc.codegen.program")
"""Passes ask codegen for legality and spaces, never for text."""

IR_MAY_USE = {"mbc", "ml_dtypes", "numpy", "xdsl", *sys.stdlib_module_names}

LAZY_REFERENCE = re.compile(r"(mbc(?:\.\w+)+):(\w+)")
"""How registries name what they load on use: such a string is an import, too."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted((ROOT / "mbc").rglob("*.py"))}


def layer(module: str) -> str:
    """The layer that `module` belongs to; `mbc` itself re-exports the API."""
    return "api" if module == "mbc" else module.split(".")[1]


def imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Every (module, name) that a file imports anywhere; the name may be empty."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield (full, "") if full in FILES else (base, alias.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if match := LAZY_REFERENCE.fullmatch(node.value):
                yield match[1], match[2]


def violation(importer: str, module: str, name: str) -> str | None:
    """What is wrong with one import, or None."""
    here = layer(importer)
    if module.startswith("."):
        return "relative import"
    if module.split(".")[0] != "mbc":
        foreign = here == "ir" and module.split(".")[0] not in IR_MAY_USE
        return "the ir layer may not use this package" if foreign else None
    there = layer(module)
    if there in (here, "errors"):
        return None
    if any(part.startswith("_") for part in [*module.split("."), name]):
        return "private name of another layer"
    if there not in MAY_IMPORT.get(here, set()):
        return f"{here} may not import {there}"
    allowed = any(module == m or module.startswith(m + ".") for m in PASSES_MAY_USE)
    if (here, there) == ("passes", "codegen") and not allowed:
        return "passes may only use " + ", ".join(PASSES_MAY_USE)
    return None


def test_imports_go_down_and_use_public_names():
    found: list[str] = []
    for importer, path in FILES.items():
        if importer == "mbc.universe":
            continue
        for module, name in imports(ast.parse(path.read_text())):
            if problem := violation(importer, module, name):
                found.append(f"{importer} imports {module} {name}: {problem}")
    assert found == []


def test_every_file_belongs_to_a_known_layer():
    known = {*MAY_IMPORT, "errors", "universe"}
    assert {layer(module) for module in FILES} <= known


def test_violations_are_recognized():
    assert violation("mbc.ir.text", "mbc.passes.fuse", "")
    assert violation("mbc.ir.text", "torch", "")
    assert violation("mbc.agent.loop", "mbc", "lower")
    assert violation("mbc.passes.fuse", "mbc.codegen.render", "render")
    assert violation("mbc.runtime.cache", "mbc.codegen.program", "_digest")
    assert violation("mbc.errors", "mbc.ir.text", "")
    assert violation("mbc.passes.fuse", "mbc.codegen.families.map", "Map") is None
    assert violation("mbc.ir.text", "mbc.errors", "MbcError") is None


def test_start_up_loads_no_heavy_package():
    code = (
        "import sys, mbc, mbc.cli.opt;"
        "heavy = {'torch', 'pyopencl', 'anthropic', 'matplotlib'};"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
