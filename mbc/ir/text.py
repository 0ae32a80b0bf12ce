"""Modules as text: printing that stock tools read, and reading with plain errors.

Dense floats print as one hex string (`dense<"0x...">`): xDSL 0.75 reads hex elements
and hex splats of floats as integers, and prints that form for infinities and NaN.
Such elements from other compilers are read as the bits that they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    RankedStructure,
    StringAttr,
    UnknownLoc,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import DiagnosticException, ParseError
from xdsl.utils.hints import isa

from mbc.errors import InvalidInput, Location
from mbc.ir.context import new_context
from mbc.ir.operand_types import UNEXPECTED, misfit
from mbc.ir.other_dialects import first_foreign, refusal
from mbc.ir.resources import inline_resources

Element = AnyFloat | IntegerType | IndexType | ComplexType

RESULTS = re.compile(r"%[^=\n]*=\s*")
OP_NAME = re.compile(r"[a-z_][\w$]*\.[\w.$]+")

VERSION = 1
"""The newest `mbc.version` of a module that this mbc reads."""


def print_module(module: ModuleOp, locations: bool = False) -> str:
    """The module as text that `parse_module` and stock `xdsl-opt` read."""
    stream = StringIO()
    printer = _Printer(stream=stream, print_debuginfo=locations)
    printer.print_op(module)
    return stream.getvalue() + "\n"


def parse_module(text: str, file: str = "<input>") -> ModuleOp:
    """A verified module; `InvalidInput` with its place for anything else.

    Every op without a location of its own gets its place in `text`.
    """
    if not text.strip():
        raise InvalidInput("the input is empty", Location(file))
    parser = _Parser(new_context(), inline_resources(text, file), file)
    try:
        module = parser.parse_module()
    except ParseError as error:
        place, said = parser.places.at(error.span.start), _sentence(error.msg)
        raise InvalidInput(refusal(said) or said, place) from error
    except DiagnosticException as error:
        said, place = parser.refused(_sentence(_reason(error)))
        raise InvalidInput(refusal(said) or said, place) from error
    _check_version(module, file)
    foreign = first_foreign(module)
    if foreign is not None:
        raise InvalidInput(refusal(foreign.name), location_of(foreign))
    verify(module)
    return module


def verify(module: ModuleOp) -> None:
    """Verify; `InvalidInput` with the place and reason of the innermost bad op."""
    try:
        module.verify()
    except DiagnosticException as error:
        raise _located(module, error) from error


class _Printer(Printer):
    def print_op(self, op: Operation) -> None:
        generic = self.print_generic_format
        if isinstance(op, linalg.GenericOp) and len(op.results) > 1:
            # xDSL's pretty form of several results is one that it cannot read.
            self.print_generic_format = True
        super().print_op(op)
        self.print_generic_format = generic

    def print_attribute(self, attribute: Attribute) -> None:
        dense = _dense_floats(attribute)
        if dense is None:
            super().print_attribute(attribute)
            return
        size = dense.get_element_type().compile_time_size
        data = dense.data.data
        splat = data == data[:size] * len(dense)
        digits = (data[:size] if splat else data).hex().upper()
        self.print_string(f'dense<"0x{digits}"> : ' if digits else "dense<> : ")
        self.print_attribute(dense.get_type())


def _dense_floats(attribute: Attribute) -> DenseIntOrFPElementsAttr[AnyFloat] | None:
    if attribute.name != DenseIntOrFPElementsAttr.name:
        return None  # `isa` is slow, and this runs for every attribute and type.
    return attribute if isa(attribute, DenseIntOrFPElementsAttr[AnyFloat]) else None


@dataclass(frozen=True)
class _Places:
    """Lines and columns of positions in a text."""

    file: str
    starts: tuple[int, ...]

    @staticmethod
    def of(file: str, text: str) -> _Places:
        ends = [i + 1 for i, character in enumerate(text) if character == "\n"]
        return _Places(file, (0, *ends))

    def at(self, position: int) -> Location:
        line = bisect_right(self.starts, position)
        return Location(self.file, line, position - self.starts[line - 1] + 1)


class _Parser(Parser):
    # The parser's only hook for elements of a tensor literal is private.
    class _HexElement(
        AttrParser._TensorLiteralElement  # pyright: ignore[reportPrivateUsage]
    ):
        """A hex element: for a float type its bits, not its value."""

        def to_float(self, parser: AttrParser) -> float:
            parser.raise_error("a hex float element needs its type", self.span)

        def to_type(self, parser: AttrParser, type: Element):
            if not isinstance(type, AnyFloat):
                return super().to_type(parser, type)
            bits = self.value
            if not isinstance(bits, int) or not 0 <= bits < 1 << type.bitwidth:
                parser.raise_error(
                    f"hex element does not fit in the bits of {type}", self.span
                )
            raw = bits.to_bytes(type.compile_time_size, "little")
            return type.unpack(raw, 1)[0]

    def __init__(self, context: Context, text: str, file: str):
        super().__init__(context, text, file)
        self.text = text
        self.places = _Places.of(file, text)
        self.broken: int | None = None
        """Where the innermost op starts that could not be built."""

    def parse_operation(self) -> Operation:
        start = self._op_start()
        try:
            op = super().parse_operation()
        except DiagnosticException:
            self.broken = start if self.broken is None else self.broken
            raise
        if isinstance(op.location, UnknownLoc):
            place = self.places.at(start)
            numbers = IntAttr(place.line), IntAttr(place.column)
            op.location = FileLineColLoc(StringAttr(place.file), *numbers)
        return op

    def _op_start(self) -> int:
        """The op's name, behind the results that it defines."""
        start = self._current_token.span.start
        named = RESULTS.match(self.text, start)
        return named.end() if named else start

    def refused(self, sentence: str) -> tuple[str, Location]:
        """The sentence with the name and place of the op that it is about."""
        start = self.pos if self.broken is None else self.broken
        name = OP_NAME.match(self.text, start)
        about = self._about(name[0], sentence) if name else sentence
        return about, self.places.at(start)

    def _about(self, name: str, sentence: str) -> str:
        if sentence.startswith(UNEXPECTED):
            found = misfit(name, sentence, self.ctx)
            if found is not None:
                return f"'{name}' {found}"
        return f"'{name}': {sentence}"

    def parse_dense_int_or_fp_elements_attr(
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr:
        dense = super().parse_dense_int_or_fp_elements_attr(type)
        size = dense.get_element_type().compile_time_size
        if len(dense.data.data) != size * len(dense):
            self.raise_error("the hex string does not hold whole elements")
        return dense

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        digits = element.span.text.lstrip("-")
        if not digits.lower().startswith("0x"):
            return element
        return self._HexElement(element.is_negative, element.value, element.span)


def _check_version(module: ModuleOp, file: str) -> None:
    version = module.attributes.get("mbc.version")
    if version is None:
        return
    if not isinstance(version, IntegerAttr):
        raise InvalidInput("mbc.version is not an integer", Location(file))
    if version.value.data > VERSION:
        raise InvalidInput(
            f"the module has mbc.version {version.value.data}; "
            f"this mbc reads up to {VERSION}: install a newer mbc",
            Location(file),
        )


def _located(module: ModuleOp, error: DiagnosticException) -> InvalidInput:
    """The error of the innermost op that does not verify."""
    for op in reversed(list(module.walk())):
        try:
            op.verify(verify_nested_ops=False)
        except DiagnosticException as found:
            return InvalidInput(_sentence(_reason(found)), location_of(op))
    return InvalidInput(_sentence(_reason(error)))


def location_of(op: Operation) -> Location | None:
    """Where the text that an op was read from stands."""
    place = op.location
    if not isinstance(place, FileLineColLoc):
        return None
    return Location(place.filename.data, place.line.data, place.column.data)


def _reason(error: BaseException) -> str:
    """The verifier's own words: xDSL wraps them into a dump of the module."""
    cause = error.__cause__
    return _reason(cause) if isinstance(cause, DiagnosticException) else str(error)


def _sentence(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return lines[0] if lines else "not valid"
