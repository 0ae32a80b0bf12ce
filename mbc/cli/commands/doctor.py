"""`mbc doctor`: what works here, and the one line that installs what does not."""

from __future__ import annotations

import argparse
import platform
from importlib.metadata import PackageNotFoundError, version

from mbc.cli.commands import Commands, add_command
from mbc.cli.diagnostics import OK
from mbc.runtime.toolchain import Found, Missing, Tool

PACKAGES = ("mbc", "xdsl", "numpy", "torch", "pyopencl", "cuda-core", "ziglang")


def add_to(commands: Commands) -> None:
    add_command(
        commands, "doctor", "Show which targets can run here, and with what.", execute
    )


def execute(_: argparse.Namespace) -> int:
    from mbc.cli.knowledge_path import default_path
    from mbc.cli.listings import print_targets
    from mbc.runtime.isolation import isolation_level
    from mbc.runtime.scratch import cache_root

    print_targets("text")
    print()
    _print_table(
        {
            "python": f"{platform.python_version()} on {platform.machine()}",
            "packages": ", ".join(_package(name) for name in PACKAGES),
            **_tools(),
            "isolation": isolation_level(),
            "build cache": str(cache_root()),
            "knowledge": str(default_path()),
        }
    )
    return OK


def _package(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} absent"


def _tools() -> dict[str, str]:
    from mbc.runtime import toolchain

    found = {
        "RVV compiler": toolchain.find_rvv_compiler(),
        "RVV emulator": toolchain.find_qemu_riscv64(),
        "host compiler": toolchain.find_host_compiler(),
        "nvcc": toolchain.find_nvcc(),
        "Oclgrind": toolchain.find_oclgrind(),
        "CUDA sanitizer": toolchain.find_compute_sanitizer(),
        "bubblewrap": toolchain.find_bwrap(),
    }
    return {name: _described(tool) for name, tool in found.items()}


def _described(tool: Tool) -> str:
    match tool:
        case Found(path=path, version=number):
            return f"{number} ({path})"
        case Missing(reason=reason, install=install):
            return f"{reason}; install: {install}" if install else reason


def _print_table(rows: dict[str, str]) -> None:
    width = max(map(len, rows))
    for name, text in rows.items():
        print(f"{name:{width}}  {text}")
