"""`torch.compile(backend="mbc")`: lazy, right, and open about what runs in torch."""

from __future__ import annotations

import warnings
from importlib.metadata import entry_points
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import mbc
from mbc.api.torch_backend import GRAPHS, compile_graph
from mbc.errors import InvalidInput
from tests.api.conftest import RunnerOn
from tests.api.models import Mlp, mlp_inputs, normalizer


@pytest.fixture(autouse=True)
def fresh(runner_on: RunnerOn) -> None:
    """Skips where there is no OpenCL; nothing of other tests is counted."""
    runner_on("opencl")
    torch.compiler.reset()
    GRAPHS.clear()


def compiled(model: nn.Module, **options: Any) -> Any:
    return torch.compile(model, backend=compile_graph, options=options)


class Printing(nn.Module):
    """Two graphs with a break between them."""

    def forward(self, x: Tensor) -> Tensor:
        y = x * 2
        print("between")
        return y + 1


class Unsupported(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.linalg.svdvals(x) + 1


class Counter(nn.Module):
    """Adds to a buffer of its own and to its input, in place."""

    total: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x)
        x.mul_(2)
        return self.total * x


def test_the_backend_has_its_entry_point():
    (found,) = entry_points(group="torch_dynamo_backends", name="mbc")
    assert found.load() is compile_graph


def test_it_is_lazy_and_right():
    model, inputs = Mlp().eval(), mlp_inputs()
    fast = compiled(model)
    assert mbc.compile_report().graphs == ()
    with torch.no_grad():
        torch.testing.assert_close(fast(*inputs), model(*inputs))
        fast(*inputs)
    (graph,) = mbc.compile_report().graphs
    assert (graph.versions, graph.calls, graph.in_torch) == (1, 2, 0)


def test_other_shapes_are_compiled_once_each():
    model = Mlp().eval()
    fast = compiled(model)

    def call() -> int:
        for rows in (3, 5, 9):
            x = torch.randn(rows, 12)
            torch.testing.assert_close(fast(x), model(x))
        graphs = mbc.compile_report().graphs
        assert sum(graph.in_torch for graph in graphs) == 0
        return sum(graph.versions for graph in graphs)

    with torch.no_grad():
        call()
        assert call() == call()


def test_changed_weights_are_seen():
    model, inputs = Mlp().eval(), mlp_inputs()
    fast = compiled(model)
    with torch.no_grad():
        before = fast(*inputs)
        model.fc1.weight.mul_(3)
        torch.testing.assert_close(fast(*inputs), model(*inputs))
        assert not torch.equal(fast(*inputs), before)
        state = {name: value + 1 for name, value in model.state_dict().items()}
        model.load_state_dict(state)
        torch.testing.assert_close(fast(*inputs), model(*inputs))


def test_what_the_model_changes_in_place_is_changed():
    model, reference = Counter(), Counter()
    fast = compiled(model)
    with torch.no_grad():
        for value in (1.0, 2.0, 3.0):
            x, y = torch.full((4,), value), torch.full((4,), value)
            torch.testing.assert_close(fast(x), reference(y))
            torch.testing.assert_close(x, y)
            torch.testing.assert_close(model.total, reference.total)


def test_a_batch_norm_in_training_moves_its_statistics():
    model, reference = normalizer(), normalizer()
    fast = compiled(model)
    torch.manual_seed(2)
    with torch.no_grad():
        for _ in range(3):
            x = torch.randn(6, 5)
            torch.testing.assert_close(fast(x), reference(x))
    torch.testing.assert_close(model.state_dict(), reference.state_dict())


def test_what_mbc_cannot_compile_runs_in_torch_and_says_so():
    fast, x = compiled(Unsupported()), torch.eye(4)
    with pytest.warns(UserWarning, match="a graph runs in torch, not in mbc: .*svd"):
        torch.testing.assert_close(fast(x), Unsupported()(x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fast(x)
    (graph,) = mbc.compile_report().graphs
    assert (graph.versions, graph.calls, graph.in_torch) == (0, 2, 2)
    assert "svd" in graph.reason
    assert "2 of them in torch" in str(mbc.compile_report())


def test_graph_breaks_are_counted():
    fast, x = compiled(Printing()), torch.ones(4)
    torch.testing.assert_close(fast(x), x * 2 + 1)
    report = mbc.compile_report()
    assert len(report.graphs) == 2
    assert sum(report.graph_breaks.values()) == 1
    assert str(report).endswith("graph breaks: 1")


def test_a_gradient_is_refused_in_one_sentence():
    with pytest.raises(InvalidInput, match=r"under torch\.no_grad\(\)"):
        compiled(Mlp().eval())(*mlp_inputs())


WRONG = {
    "unknown": ({"speed": 3}, "has no option 'speed'; has: target, measurements, kb"),
    "target": ({"target": "abc"}, "target 'abc' not registered"),
    "type": ({"measurements": "many"}, "option 'measurements' of backend mbc is a int"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_options_are_one_sentence(case: str):
    options, sentence = WRONG[case]
    with torch.no_grad(), pytest.raises(Exception, match=sentence):
        compiled(Mlp().eval(), **options)(*mlp_inputs())


def test_a_graph_can_be_tuned():
    model, inputs = Mlp().eval(), mlp_inputs()
    fast = compiled(model, target="opencl", measurements=4)
    with torch.no_grad():
        torch.testing.assert_close(fast(*inputs), model(*inputs))
    (graph,) = mbc.compile_report().graphs
    assert (graph.versions, graph.in_torch) == (1, 0)
