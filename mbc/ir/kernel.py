"""mbc.kernel, mbc.yield and mbc.source: the unit of scheduling and checking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from mbc.errors import InvalidInput
from mbc.ir.attributes import ScheduleAttr
from mbc.ir.types import Tensor, tensors_among


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The results of a kernel."""

    name = "mbc.yield"
    values = var_operand_def(TensorType)
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(KernelOp)))

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


@irdl_op_definition
class KernelOp(IRDLOperation):
    """Tensor ops that are emitted, checked and timed together.

    Block arguments stand for the operands, dense and row-major; the body is the
    kernel's executable reference, whatever source implements it.
    """

    name = "mbc.kernel"
    ins = var_operand_def(TensorType)
    outs = var_result_def(TensorType)
    label = prop_def(StringAttr)
    """Identifier `k<n>`, given once by form-kernels and never reused."""
    origins = opt_prop_def(ArrayAttr[StringAttr], prop_name="from")
    """Labels of the kernels that were fused into this one."""
    schedule = opt_prop_def(ScheduleAttr)
    source = opt_prop_def(FlatSymbolRefAttr)
    """The mbc.source that replaces the emitted text."""
    body = region_def("single_block")
    traits = traits_def(Pure(), IsolatedFromAbove())
    assembly_format = (
        "$label (`from` $from^)? (`schedule` $schedule^)? (`source` $source^)?"
        " `(` $ins `)` $body attr-dict `:` functional-type($ins, $outs)"
    )

    def __init__(
        self,
        label: str,
        ins: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        body: Region,
        origins: Sequence[str] = (),
        schedule: ScheduleAttr | None = None,
        source: FlatSymbolRefAttr | None = None,
    ):
        properties: dict[str, Attribute | None] = {
            "label": StringAttr(label),
            "from": ArrayAttr(StringAttr(o) for o in origins) if origins else None,
            "schedule": schedule,
            "source": source,
        }
        super().__init__(
            operands=[ins],
            result_types=[result_types],
            regions=[body],
            properties=properties,
        )

    @property
    def block(self) -> Block:
        return self.body.block

    @property
    def terminator(self) -> YieldOp:
        last = self.block.last_op
        assert isinstance(last, YieldOp)
        return last

    def copy(self) -> KernelOp:
        """A detached clone with operands of its own: the original's get no new use."""
        block = Block(arg_types=self.ins.types)
        clone = self.clone(dict[SSAValue, SSAValue](zip(self.ins, block.args)))
        # A value that the kernel takes twice was mapped to one argument.
        clone.operands = block.args
        return clone

    def ops(self) -> list[Operation]:
        """The body without its terminator, in order."""
        return [op for op in self.block.ops if not isinstance(op, YieldOp)]

    def operand_tensors(self) -> tuple[Tensor, ...]:
        return tensors_among(arg.type for arg in self.block.args)

    def result_tensors(self) -> tuple[Tensor, ...]:
        return tensors_among(out.type for out in self.outs)

    def origin_labels(self) -> tuple[str, ...]:
        if self.origins is None:
            return ()
        return tuple(origin.data for origin in self.origins)

    def verify_(self) -> None:
        if not isinstance(self.block.last_op, YieldOp):
            raise VerifyException(f"kernel {self.label.data} does not end in mbc.yield")
        pairs = (
            ("block arguments", [a.type for a in self.block.args], self.ins.types),
            ("yielded values", self.terminator.values.types, self.outs.types),
        )
        for what, found, wanted in pairs:
            if list(found) != list(wanted):
                raise VerifyException(
                    f"kernel {self.label.data}: {what} ({_types(found)}) do not match "
                    f"its type ({_types(wanted)})"
                )


@irdl_op_definition
class SourceOp(IRDLOperation):
    """Hand- or model-written source; its meaning stays the kernel's body."""

    name = "mbc.source"
    sym_name = prop_def(SymbolNameConstraint())
    text = prop_def(StringAttr)
    assembly_format = "$sym_name $text attr-dict"
    traits = traits_def(SymbolOpInterface())

    def __init__(self, name: str, text: str):
        super().__init__(
            properties={"sym_name": StringAttr(name), "text": StringAttr(text)}
        )


def _types(types: Sequence[Attribute]) -> str:
    return ", ".join(str(type) for type in types)


def kernels(module: ModuleOp | Operation) -> Iterator[KernelOp]:
    """Every kernel of a module, in program order."""
    return (op for op in module.walk() if isinstance(op, KernelOp))


def kernel_by_label(module: ModuleOp, label: str) -> KernelOp:
    """The kernel called `label`; `InvalidInput` that names the others if absent."""
    found = {kernel.label.data: kernel for kernel in kernels(module)}
    if label not in found:
        names = ", ".join(found) or "none: run form-kernels first"
        raise InvalidInput(f"no kernel is labelled '{label}'; kernels here: {names}")
    return found[label]


def single_kernel_module(kernel: KernelOp) -> ModuleOp:
    """A module whose @forward is `kernel` alone, on a clone; the target is kept."""
    from xdsl.dialects import func

    block = Block(arg_types=[value.type for value in kernel.ins])
    clone = kernel.copy()
    clone.operands = block.args
    block.add_op(clone)
    block.add_op(func.ReturnOp(*clone.outs))
    signature = ([a.type for a in block.args], [o.type for o in clone.outs])
    function = func.FuncOp("forward", signature, Region(block))
    module = ModuleOp([function])
    parent = _module_of(kernel)
    if parent is None:
        return module
    module.attributes.update(parent.attributes)
    if kernel.source is not None:
        module.body.block.insert_op_before(source_of(parent, kernel).clone(), function)
    return module


def source_of(module: ModuleOp, kernel: KernelOp) -> SourceOp:
    """The mbc.source that a kernel names; `InvalidInput` if the module lacks it."""
    assert kernel.source is not None
    name = kernel.source.root_reference.data
    for op in module.body.block.ops:
        if isinstance(op, SourceOp) and op.sym_name.data == name:
            return op
    raise InvalidInput(f"kernel {kernel.label.data} names missing source @{name}")


def _module_of(op: Operation) -> ModuleOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ModuleOp):
        parent = parent.parent_op()
    return parent
