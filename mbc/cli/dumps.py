"""IR dumps around passes, on standard error, in mlir-opt's form."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from io import StringIO
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from mbc.cli.opt_arguments import Options
from mbc.errors import InvalidInput
from mbc.ir.text import print_module
from mbc.passes import all_passes
from mbc.passes.pipeline import pass_text


def module_text(module: ModuleOp, options: Options) -> str:
    """As our own text, or as the printing options want it."""
    if not (options.print_op_generic or options.print_debuginfo):
        return print_module(module)
    stream = StringIO()
    Printer(
        stream,
        print_generic_format=options.print_op_generic,
        print_debuginfo=options.print_debuginfo,
    ).print_op(module)
    return stream.getvalue()


class Dumps:
    """Called before and after each pass; prints what the options ask for."""

    def __init__(self, options: Options):
        for name in options.print_ir_after:
            _check_name(name)
        self._options = options
        self._before = ""

    def before(self, one: ModulePass, module: ModuleOp) -> None:
        if self._options.print_ir_after_change:
            self._before = module_text(module, self._options)
        if self._options.print_ir_before_all:
            self._dump(f"Before {pass_text(one)}", module)

    def after(self, one: ModulePass, module: ModuleOp) -> None:
        if self._wanted_after(one, module):
            self._dump(f"After {pass_text(one)}", module)

    def failed(self, one: ModulePass, module: ModuleOp) -> None:
        if self._options.print_ir_after_all:
            self._dump(f"After {pass_text(one)} Failed", module)

    def _wanted_after(self, one: ModulePass, module: ModuleOp) -> bool:
        options = self._options
        if options.print_ir_after_all or one.name in options.print_ir_after:
            return True
        if not options.print_ir_after_change:
            return False
        return module_text(module, options) != self._before

    def _dump(self, when: str, module: ModuleOp) -> None:
        text = module_text(module, self._options)
        print(
            f"// -----// IR Dump {when} //----- //\n{text.rstrip()}\n", file=sys.stderr
        )


def _check_name(name: str) -> None:
    """A mistyped pass would never be dumped."""
    known = all_passes()
    if name in known:
        return
    close = get_close_matches(name, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise InvalidInput(
        f"--print-ir-after: '{name}' does not refer to a registered pass{hint}"
    )


class Times:
    """Wall-clock seconds by stage, in the order in which they ran."""

    def __init__(self):
        self._stages: list[tuple[str, float]] = []
        self._start = perf_counter()

    def start(self) -> None:
        self._start = perf_counter()

    def stage_ends(self, name: str) -> None:
        now = perf_counter()
        self._stages.append((name, now - self._start))
        self._start = now

    def print(self) -> None:
        total = sum(seconds for _, seconds in self._stages)
        for name, seconds in (*self._stages, ("total", total)):
            share = seconds / total if total else 0.0
            print(f"{seconds:9.4f} s {share:6.1%}  {name}", file=sys.stderr)
