"""What scans along rows and down columns share on RVV: bodies around the scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families.scan import ScanMatch
from mbc.codegen.targets import Target


@dataclass
class ScanText:
    match: ScanMatch
    target: Target
    vectors: Vectors
    kind: str
    """The scan's own, or an extremum that drops NaN."""
    headers: set[str] = field(default_factory=set[str])

    def printer(self) -> VectorPrinter:
        return VectorPrinter(self.target, self.vectors, headers=self.headers)

    def start(self) -> str:
        """What changes nothing that it is combined with."""
        return folds.STARTS[self.kind.removesuffix("num")]

    def combined(self, a: str, b: str, length: str = "vl") -> str:
        vectors = Vectors(self.vectors.lmul, length)
        return folds.combined(self.kind, a, b, vectors, self.headers)

    def element(self, printer: VectorPrinter, values: Sequence[Value], end: str) -> str:
        """What is scanned, from the kernel's operands."""
        if self.match.prologue is None:
            return self.vectors.as_vector(values[0])
        block = self.match.prologue.body.block
        return self.vectors.as_vector(_body(printer, block, values, end)[0])

    def results(
        self,
        printer: VectorPrinter,
        total: str,
        extra: Sequence[Value | None],
        end: str,
    ) -> list[str]:
        """What is stored; None among the epilogue's operands is the scan itself."""
        result = Value(total, "vector")
        if self.match.epilogue is None:
            return [total]
        values = [result if value is None else value for value in extra]
        block = self.match.epilogue.body.block
        made = _body(printer, block, values, f"{end}_e")
        return [self.vectors.as_vector(value) for value in made]


def _body(
    printer: VectorPrinter, block: Block, values: Sequence[Value], end: str
) -> tuple[Value, ...]:
    unused = [Value("0.0f", "scalar")] * (len(block.args) - len(values))
    return printer.body(block, [*values, *unused], end)
