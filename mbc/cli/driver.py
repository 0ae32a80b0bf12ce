"""What `mbc-opt` does with its input: parse, run passes, print or emit.

The parts of a split input are independent: a bad one is reported and the next one is
taken up, each under the line numbers that it has in the file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from mbc.cli.arguments import target_of
from mbc.cli.diagnostics import OK, Reporter, translated
from mbc.cli.dumps import Dumps, Times, module_text
from mbc.cli.opt_arguments import Options
from mbc.cli.output import STANDARD, is_folder, read_text, write_text
from mbc.cli.reproducer import pipeline_of, write_reproducer
from mbc.codegen.targets import target_named
from mbc.errors import Location, MbcError
from mbc.ir.context import new_context
from mbc.ir.text import parse_module, verify
from mbc.passes.assign_target import AssignTargetPass
from mbc.passes.pipeline import apply, parse, pass_text, text_of

COMMENT = re.compile(r"//.*")
SPLIT = re.compile(r"^// -----.*$\n?", re.MULTILINE)


class Driver:
    def __init__(self, options: Options, reporter: Reporter):
        self._options = options
        self._reporter = reporter
        self._file = "<stdin>" if options.input == STANDARD else options.input
        self._context = new_context()
        self._context.allow_unregistered = options.allow_unregistered_dialect
        self._dumps = Dumps(options)
        self._times = Times()

    def run(self) -> None:
        options = self._options
        text = read_text(options.input)
        self._reporter.remember(self._file, text)
        passes = self._passes(text)
        if options.dump_pass_pipeline:
            print(f"builtin.module({text_of(passes)})", file=sys.stderr)
        outputs = list(self._outputs(text, passes))
        if self._reporter.exit_code == OK or options.output == STANDARD:
            self._write(outputs)
        if options.time_passes:
            self._times.print()

    def _passes(self, text: str) -> tuple[ModulePass, ...]:
        options = self._options
        pipeline = options.passes
        if options.run_reproducer:
            pipeline = pipeline_of(text, self._file)
        if not options.target:
            return parse(pipeline)
        name, entries = target_of(options.target, options.target_option)
        target = target_named(name, entries)
        assign = AssignTargetPass(name, tuple(f"{k}={v}" for k, v in entries.items()))
        return (assign, *parse(pipeline or target.pipeline))

    def _outputs(self, text: str, passes: Sequence[ModulePass]) -> Iterator[str]:
        """What each part becomes, without those that failed and are reported."""
        parts = split(text) if self._options.split_input_file else [text]
        for part in parts:
            try:
                with translated():
                    module = self._parsed(part)
                    for index in range(len(passes)):
                        self._run_pass(module, passes, index)
                    yield self._result(module, passes)
            except MbcError as error:
                self._reporter.report(error)

    def _parsed(self, text: str) -> ModuleOp:
        self._times.start()
        module = self._module(text)
        if self._options.target:
            # Emission calls @forward, and passes weights as arguments.
            from mbc.frontend.foreign import adopt

            adopt(module)
        self._times.stage_ends("parse")
        return module

    def _module(self, text: str) -> ModuleOp:
        if not COMMENT.sub("", text).strip():
            return ModuleOp([])
        if self._options.allow_unregistered_dialect:
            module = Parser(self._context, text, self._file).parse_module()
            verify(module)
            return module
        try:
            return parse_module(text, self._file)
        except MbcError as error:
            error.location = error.location or Location(self._file)
            if "registered" in error.message:
                error.add_note("--allow-unregistered-dialect accepts it")
            raise

    def _run_pass(
        self, module: ModuleOp, passes: Sequence[ModulePass], index: int
    ) -> None:
        one, options = passes[index], self._options
        before = module_text(module, options) if options.crash_reproducer else ""
        self._dumps.before(one, module)
        self._times.start()
        try:
            with translated():
                apply(self._context, module, one)
                if options.verify_each:
                    verify(module)
        except MbcError as error:
            self._dumps.failed(one, module)
            error.location = error.location or Location(self._file)
            error.add_note(f"in pass {pass_text(one)}")
            if options.crash_reproducer:
                write_reproducer(options.crash_reproducer, before, passes[index:])
                error.add_note(f"reproducer: {options.crash_reproducer}")
            raise
        self._times.stage_ends(pass_text(one))
        self._dumps.after(one, module)

    def _result(self, module: ModuleOp, passes: Sequence[ModulePass]) -> str:
        """The text to print; a folder's files are written here."""
        options = self._options
        if not options.target:
            return module_text(module, options).rstrip() + "\n"
        # Loads templates, which plain passes do not need.
        from mbc.cli.emission import emit, emit_folder

        self._times.start()
        if is_folder(options.output):
            emit_folder(module, passes, options)
            text = ""
        else:
            text = emit(module)
        self._times.stage_ends("emit")
        return text

    def _write(self, outputs: Sequence[str]) -> None:
        options = self._options
        if not (options.target and is_folder(options.output)):
            write_text(options.output, "// -----\n".join(outputs))


def split(text: str) -> Iterator[str]:
    """The parts, each behind as many empty lines as stand before it."""
    start = 0
    for mark in (*SPLIT.finditer(text), None):
        end = len(text) if mark is None else mark.start()
        yield "\n" * text.count("\n", 0, start) + text[start:end]
        start = len(text) if mark is None else mark.end()
