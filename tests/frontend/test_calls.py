"""What a call of a model means: ties, mutation, outputs, and what is refused."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from mbc.errors import InvalidInput, UnsupportedModel
from mbc.frontend.signature import Signature
from mbc.frontend.torch_export import import_model
from tests.frontend.support import Function, check, forward, role, run

ONE = torch.ones(1)
PAIR = {"a": ONE, "b": ONE}


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.emb = nn.Embedding(4, 3, padding_idx=0)
        self.head = nn.Linear(3, 4, bias=False)
        self.head.weight = self.emb.weight
        self.unused = nn.Parameter(torch.zeros(9))

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.emb(ids))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor(3, dtype=torch.int64))
        self.register_buffer("scale", torch.tensor([2.0, 4.0]), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        return x * self.scale * self.count


class Frac(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.erfinv(torch.special.bessel_j0(x))
        _, where = nn.functional.adaptive_max_pool2d(y, 3, return_indices=True)
        return torch.erfinv(x), where


class Branch(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:
            return x
        return -x


def line_of(text: str) -> int:
    lines = open(__file__, encoding="utf-8").read().splitlines()
    return next(i for i, line in enumerate(lines, start=1) if text in line)


def test_tied_weights_are_one_argument():
    imported = check(Tied(), torch.tensor([[0, 3]]))
    assert list(imported.parameters) == ["emb.weight"]
    assert len(forward(imported).args) == 2
    assert forward(imported).args[0].name_hint == "emb_weight"


def test_views_of_one_storage_are_not_tied():
    whole = torch.randn(4, 3)

    class Parts(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Parameter(whole[:2])
            self.last = nn.Parameter(whole[2:])

        def forward(self, x: Tensor) -> Tensor:
            return x @ self.first.T + x @ self.last.T

    assert len(check(Parts(), torch.randn(2, 3)).parameters) == 2


def test_buffers_are_updated_and_donated():
    model = Counter()
    x = torch.tensor([1.0, 2.0])
    imported = import_model(model, [x])
    found, updates = run(imported, [x])
    np.testing.assert_array_equal(found, [8.0, 32.0])
    np.testing.assert_array_equal(updates["count"], 4)
    attributes = forward(imported).arg_attrs
    assert attributes is not None
    donated = [role(a, "mbc.parameter") for a in attributes if "mbc.donated" in a.data]
    assert donated == ["count"]


def test_mutated_input_is_an_update():
    def function(x: Tensor) -> Tensor:
        x[:, 0] = 0
        return x * 2

    x = torch.arange(6.0).reshape(2, 3)
    imported = import_model(Function(function), [x])
    found, updates = run(imported, [x])
    np.testing.assert_array_equal(found, [[0, 2, 4], [0, 8, 10]])
    (value,) = updates.values()
    np.testing.assert_array_equal(value, [[0, 1, 2], [0, 4, 5]])
    np.testing.assert_array_equal(x[:, 0].numpy(), [0, 3])


def test_outputs_of_every_kind():
    def function(x: Tensor):
        y = x * 2
        return {"y": (y, None, [y]), "x": x, "c": torch.full((2,), 3.0), "i": 7}

    imported = check(function, torch.tensor([1.0, 2.0]))
    assert len(forward(imported).function_type.outputs) == 3
    text = imported.signature.to_json()
    assert Signature.from_json(text) == imported.signature
    assert json.loads(text)["outputs"]["dict"][3] == ["i", {"constant": 7}]


def test_nested_and_constant_inputs():
    def function(pair: list[Tensor], factor: float):
        return pair[0] + pair[1] * factor

    pair = [torch.ones(2), torch.arange(2.0)]
    imported = import_model(Function(function), [pair, 3.0])
    found, _ = run(imported, [pair, 3.0])
    np.testing.assert_array_equal(found, [1.0, 4.0])
    with pytest.raises(Exception, match=r"imported with 3\.0 where 4\.0"):
        run(imported, [pair, 4.0])


WRONG: dict[str, tuple[list[Any], str]] = {
    "no key": ([{"b": ONE, "c": ONE}, [ONE], 3.0], "takes 'a' here, which was not"),
    "few keys": ([{"a": ONE}, [ONE], 3.0], "takes 2 inputs here, 1 were given"),
    "no dict": ([None, [ONE], 3.0], "takes a dict here, not None"),
    "list for a dict": ([[ONE], [ONE], 3.0], "a dict here, not a value of type list"),
    "no list": ([PAIR, 2.0, 3.0], r"takes a list here, not 2\.0"),
    "tensor for a list": ([PAIR, ONE, 3.0], "a list here, not a value of type Tensor"),
    "tensor for a number": (
        [PAIR, [ONE], torch.ones(2)],
        r"imported with 3\.0 where a value of type Tensor is passed",
    ),
    "nothing for a number": ([PAIR, [ONE], None], r"with 3\.0 where None is passed"),
}


@pytest.fixture(scope="module")
def nested() -> Signature:
    def function(pair: dict[str, Tensor], more: list[Tensor], factor: float):
        return pair["a"] + pair["b"] + more[0] * factor

    return import_model(Function(function), [PAIR, [ONE], 3.0]).signature


@pytest.mark.parametrize("case", WRONG)
def test_inputs_of_another_structure_are_one_sentence(nested: Signature, case: str):
    inputs, says = WRONG[case]
    with pytest.raises(InvalidInput, match=says) as raised:
        nested.input_values(inputs)
    assert "\n" not in raised.value.message
    assert len(nested.input_values([PAIR, (ONE,), 3])) == 3


def test_inputs_may_be_views():
    base = torch.arange(24.0).reshape(4, 6)
    check(
        lambda a, b, c: (a.sum(1), (b + c).sum(-1), a.reshape(-1)),
        base.t()[1:3],
        base[:, 1::2],
        torch.tensor([[1.0]]).expand(4, 3),
    )


def test_bfloat16_parameters():
    model = nn.Linear(4, 3).bfloat16()
    imported = import_model(model, [torch.randn(2, 4).bfloat16()])
    assert imported.parameters["weight"].dtype.name == "bfloat16"


def test_unsigned_arguments_and_results_say_so():
    imported = import_model(
        Function(lambda u: u + 1), [torch.tensor([255, 3], dtype=torch.uint8)]
    )
    function = forward(imported)
    for attributes in (function.arg_attrs, function.res_attrs):
        assert attributes is not None
        assert [role(a, "mbc.dtype") for a in attributes] == ["uint8"]


def test_everything_unsupported_is_listed_at_once():
    with pytest.raises(UnsupportedModel) as caught:
        import_model(Frac(), [torch.zeros(1, 1, 4, 4)])
    first, pool = line_of("y = torch.erfinv"), line_of("_, where = nn.functional")
    file = "tests/frontend/test_calls.py"
    assert caught.value.message == (
        "3 operators are not supported: "
        f"aten.special_bessel_j0.default (1 use, {file}:{first}), "
        f"aten.erfinv.default (2 uses, {file}:{first}), "
        f"aten.adaptive_max_pool2d.default (1 use, {file}:{pool}: "
        "indices of windows that are not all alike)"
    )
    assert caught.value.location is not None
    assert caught.value.location.line == first


def test_control_flow_on_data_names_the_line():
    with pytest.raises(UnsupportedModel, match=r"depends on the values of a tensor"):
        import_model(Branch(), [torch.ones(2)])
    with pytest.raises(UnsupportedModel, match=str(line_of("if x.sum() > 0:"))):
        import_model(Branch(), [torch.ones(2)])


def test_failures_of_the_model_are_one_sentence():
    with pytest.raises(UnsupportedModel, match=r"^torch.export failed .*RuntimeError"):
        import_model(Function(lambda x: x @ x), [torch.ones(2, 3)])


def test_gradients_are_refused():
    with pytest.raises(UnsupportedModel, match="input 0 requires a gradient"):
        import_model(nn.ReLU(), [torch.ones(2, requires_grad=True)])


@pytest.mark.parametrize(
    "dim", [torch.export.Dim("batch"), torch.export.Dim.DYNAMIC, torch.export.Dim.AUTO]
)
def test_dynamic_batch_needs_two(dim: object):
    shapes = {"arguments": ({0: dim},)}
    model = Function(lambda x: x * 2)
    with pytest.raises(UnsupportedModel, match="example batch of at least 2"):
        import_model(model, [torch.ones(1, 3)], dynamic_shapes=shapes)


def test_complex_tensors_are_refused():
    with pytest.raises(UnsupportedModel, match="complex64 tensors are not supported"):
        import_model(Function(torch.real), [torch.ones(2, dtype=torch.complex64)])


def test_sizes_that_depend_on_data_are_refused_once():
    with pytest.raises(UnsupportedModel, match=r"depends on data\)$") as caught:
        import_model(Function(lambda x: x[x > 0] * 2 + 1), [torch.ones(3)])
    assert caught.value.message.startswith("1 operator is not supported: aten.index")


def test_dead_code_is_dropped():
    def function(x: Tensor) -> Tensor:
        torch.erfinv(x)
        return x.max(1).values

    imported = check(function, torch.randn(2, 3))
    names = [op.name for op in forward(imported).body.block.ops]
    assert names == ["mbc.reduce", "func.return"]


def test_mbc_itself_does_not_load_torch():
    code = "import sys, mbc, mbc.frontend.imported; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
