"""hoist-parameters: work on weights is done once, at load."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from mbc.ir.kernel import KernelOp
from mbc.passes.support.functions import (
    PREPARED,
    attributes_of,
    forward_of,
    function_named,
    parameter_name,
    parameter_values,
    prepared_index,
    set_signature,
    terminator,
)
from mbc.passes.support.kernels import erase
from mbc.passes.support.ops import needs, remove_dead


@dataclass(frozen=True)
class HoistParametersPass(ModulePass):
    """Moves kernels that parameters alone determine into @prepare, which runs at load.

    Before:
    ```mlir
    func.func @forward(%w : ... {mbc.parameter = "w"}, %x : ...) {
      %0 = mbc.kernel "k0" (%w) {...}
      %1 = mbc.kernel "k1" (%x, %0) {...}
    }
    ```
    After `hoist-parameters`:
    ```mlir
    func.func @prepare(%w : ... {mbc.parameter = "w"}) {
      %0 = mbc.kernel "k0" (%w) {...}
      func.return %0
    }
    func.func @forward(%x : ..., %0 : ... {mbc.prepared = 0 : i64}) {
      %1 = mbc.kernel "k1" (%x, %0) {...}
    }
    ```
    Precondition: kernels are formed; a donated parameter counts as an input. Refuses
    nothing: without such kernels the module stays as it is. An existing @prepare is
    extended; parameters that @forward no longer reads are dropped from it.
    """

    name = "hoist-parameters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        forward = forward_of(op)
        known = parameter_values(forward)
        moved = [
            inner
            for inner in forward.body.block.ops
            if isinstance(inner, KernelOp) and all(out in known for out in inner.outs)
        ]
        if not moved:
            return
        prepare = function_named(op, "prepare") or _new_prepare(op, forward)
        _Move(forward, prepare).run(moved)


def _new_prepare(module: ModuleOp, forward: func.FuncOp) -> func.FuncOp:
    block = Block([func.ReturnOp()])
    prepare = func.FuncOp("prepare", ([], []), Region(block))
    module.body.block.insert_op_before(prepare, forward)
    return prepare


@dataclass
class _Move:
    forward: func.FuncOp
    prepare: func.FuncOp
    mapper: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """From values of @forward to the same values in @prepare."""

    def run(self, moved: list[KernelOp]) -> None:
        self.arguments = attributes_of(self.forward)
        self.parameters = attributes_of(self.prepare)
        for inner in self._closure(moved):
            clone = inner.clone(self.mapper)
            self.prepare.body.block.insert_op_before(clone, self._end)
        for kernel in moved:
            self._return_frontier(kernel, set(moved))
        # What reads a result now is a moved kernel, and those stand behind.
        erase(moved[::-1])
        remove_dead(self.forward.body.block)
        self._drop_unused_arguments()
        self._renumber()
        set_signature(self.prepare, self.parameters)
        set_signature(self.forward, self.arguments)

    @property
    def _end(self) -> Operation:
        return terminator(self.prepare.body.block)

    def _closure(self, moved: list[KernelOp]) -> list[Operation]:
        """What the moved kernels stand on, in program order; arguments are mapped."""
        wanted: set[Operation] = set()
        pending: list[Operation] = list(moved)
        while pending:
            op = pending.pop()
            if op in wanted:
                continue
            wanted.add(op)
            for value in needs(op):
                if isinstance(value.owner, Operation):
                    pending.append(value.owner)
                else:
                    self._map_argument(value)
        return [op for op in self.forward.body.block.ops if op in wanted]

    def _map_argument(self, value: SSAValue) -> None:
        if value in self.mapper:
            return
        assert isinstance(value, BlockArgument)
        entry = self.arguments[value.index]
        index = prepared_index(entry)
        if index is not None:
            self.mapper[value] = self._end.operands[index]
            return
        block = self.prepare.body.block
        for arg, known in zip(block.args, self.parameters, strict=True):
            if parameter_name(known) == parameter_name(entry):
                self.mapper[value] = arg
                return
        self.parameters.append(entry)
        arg = block.insert_arg(value.type, len(block.args))
        arg.name_hint = value.name_hint
        self.mapper[value] = arg

    def _return_frontier(self, kernel: KernelOp, moved: set[KernelOp]) -> None:
        """Results that @forward still reads become its arguments."""
        block = self.forward.body.block
        for out in kernel.outs:
            if all(use.operation in moved for use in out.uses):
                continue
            entry: dict[str, Attribute] = {PREPARED: self._index_of(self.mapper[out])}
            self.arguments.append(entry)
            arg = block.insert_arg(out.type, len(block.args))
            arg.name_hint = out.name_hint
            out.replace_all_uses_with(arg)

    def _index_of(self, value: SSAValue) -> IntegerAttr:
        end = self._end
        end.operands = [*end.operands, value]
        return IntegerAttr(len(end.operands) - 1, i64)

    def _drop_unused_arguments(self) -> None:
        block = self.forward.body.block
        for index in reversed(range(len(block.args))):
            entry, arg = self.arguments[index], block.args[index]
            fixed = parameter_name(entry) is not None or PREPARED in entry
            if fixed and not list(arg.uses):
                block.erase_arg(arg)
                del self.arguments[index]

    def _renumber(self) -> None:
        """@prepare returns what @forward takes, in the order of its arguments."""
        end = self._end
        returned = list(end.operands)
        values: list[SSAValue] = []
        for entry in self.arguments:
            index = prepared_index(entry)
            if index is None:
                continue
            entry[PREPARED] = IntegerAttr(len(values), i64)
            values.append(returned[index])
        end.operands = values
        remove_dead(self.prepare.body.block)
