"""The options of `mbc-opt`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from mbc.cli.arguments import Parser, add_common
from mbc.cli.output import STANDARD, is_folder

DESCRIPTION = """\
Read MLIR, run passes, print MLIR; with --target, print that target's source.

  mbc-opt model.mlir --target rvv
  mbc-opt model.mlir -p 'form-kernels,set-tile{kernel=k3 sizes=8,64}'
"""

EPILOG = """\
The --print options also answer to their mlir-opt names (--mlir-print-...).
Exit codes: 0 ok; 1 input, pass or verification error; 2 usage; 130 interrupted.
"""

Listing = Literal["text", "json"]


@dataclass
class Options:
    """The parsed command line; names are those of the options."""

    input: str = STANDARD
    output: str = STANDARD
    split_input_file: bool = False
    allow_unregistered_dialect: bool = False
    passes: str = ""
    verify_each: bool = True
    time_passes: bool = False
    dump_pass_pipeline: bool = False
    crash_reproducer: str = ""
    run_reproducer: bool = False
    target: str = ""
    target_option: list[str] = field(default_factory=list[str])
    print_ir_before_all: bool = False
    print_ir_after_all: bool = False
    print_ir_after_change: bool = False
    print_ir_after: list[str] = field(default_factory=list[str])
    print_op_generic: bool = False
    print_debuginfo: bool = False
    list_passes: bool = False
    list_targets: bool = False
    json: bool = False
    debug: bool = False

    @property
    def listing(self) -> Listing:
        return "json" if self.json else "text"


def parse_arguments(argv: Sequence[str]) -> Options:
    plain = [re.sub(r"^--mlir-(?=print-)", "--", argument) for argument in argv]
    parser = _parser()
    options = parser.parse_args(plain, Options())
    if options.target_option and not options.target:
        parser.error("--target-option needs --target")
    if options.target and is_folder(options.output):
        if options.split_input_file:
            parser.error("--split-input-file has no folder for each part")
        if options.input == STANDARD:
            parser.error("a folder gets parameters, too: give the input as a file")
    if options.run_reproducer and options.passes:
        parser.error("--run-reproducer brings its own passes: leave -p out")
    return options


def _parser() -> Parser:
    parser = Parser("mbc-opt", description=DESCRIPTION, epilog=EPILOG)
    add_common(parser)
    _add_files(parser)
    _add_passes(parser)
    _add_target(parser)
    _add_printing(parser)
    _add_listings(parser)
    return parser


def _add_files(parser: Parser) -> None:
    group = parser.add_argument_group("input and output")
    group.add_argument(
        "input",
        nargs="?",
        default=STANDARD,
        metavar="FILE",
        help="MLIR text; '-' or none is stdin",
    )
    group.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="output file; with --target also a folder, for all files and a manifest",
    )
    group.add_argument(
        "--split-input-file",
        action="store_true",
        help="treat the parts between '// -----' lines separately",
    )
    group.add_argument(
        "--allow-unregistered-dialect",
        action="store_true",
        help="accept operations and types that no dialect here defines",
    )


def _add_passes(parser: Parser) -> None:
    group = parser.add_argument_group("passes")
    group.add_argument(
        "-p",
        "--passes",
        "--pass-pipeline",
        dest="passes",
        metavar="TEXT",
        help="'a,b{opt=1}' or 'builtin.module(a,b{opt=1})'",
    )
    group.add_argument(
        "--no-verify-each",
        dest="verify_each",
        action="store_false",
        help="do not verify after each pass",
    )
    group.add_argument("--verify-each", action="store_true", help="do (the default)")
    group.add_argument(
        "--time-passes", action="store_true", help="time per pass, to stderr"
    )
    group.add_argument(
        "--dump-pass-pipeline", action="store_true", help="the pipeline, to stderr"
    )
    group.add_argument(
        "--pass-pipeline-crash-reproducer",
        dest="crash_reproducer",
        metavar="FILE",
        help="if a pass fails, write what it failed on",
    )
    group.add_argument(
        "--run-reproducer", action="store_true", help="run such a file's pipeline"
    )


def _add_target(parser: Parser) -> None:
    group = parser.add_argument_group("target")
    group.add_argument(
        "--target",
        metavar="NAME",
        help="emit for it, through its default passes unless -p is given",
    )
    group.add_argument(
        "--target-option",
        action="append",
        metavar="KEY=VALUE",
        help="like vlen=512; also --target 'rvv{vlen=512}'",
    )


def _add_printing(parser: Parser) -> None:
    group = parser.add_argument_group("printing (IR dumps go to stderr)")
    for when in ("before-all", "after-all", "after-change"):
        group.add_argument(f"--print-ir-{when}", action="store_true")
    group.add_argument("--print-ir-after", action="append", metavar="PASS")
    group.add_argument(
        "--print-op-generic", action="store_true", help="the generic form"
    )
    group.add_argument(
        "--print-debuginfo", action="store_true", help="with source locations"
    )


def _add_listings(parser: Parser) -> None:
    group = parser.add_argument_group("listings")
    group.add_argument("--list-passes", action="store_true")
    group.add_argument("--list-targets", action="store_true")
    group.add_argument("--json", action="store_true", help="list as JSON")
