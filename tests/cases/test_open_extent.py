"""A batch that calls decide: right at extents that no example had, on every target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

import mbc
from mbc.errors import InvalidInput, UnsupportedModel
from mbc.ir.execute import execute
from tests.cases.case import as_module
from tests.codegen.exact import STYLES, available_runner

EXTENTS = (1, 3, 0)


class Flat(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 2, bias=False)
        with torch.no_grad():
            self.linear.weight.copy_(torch.arange(12.0).reshape(2, 6))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.linear(x.view(x.size(0), -1)), x.mean(0)


class Wide(nn.Module):
    """Convolution, attention, joins, slices and tensors made from the extent."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        self.linear = nn.Linear(4 * 4 * 4, 8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        y = self.linear(self.conv(x).flatten(1))
        z = y.view(-1, 1, 8).expand(-1, 4, -1)
        a = self.attention(z, z, z)[0]
        rows = torch.arange(x.size(0)).unsqueeze(1) + y.argmax(1, keepdim=True)
        ones = torch.ones(x.size(0), 4, 8)
        joined = torch.cat([a, a * 2, a[:, :2].repeat(1, 2, 1)], 0)
        return (
            y.softmax(-1),
            joined[:, 1:3],
            a.transpose(0, 1).reshape(-1, 8),
            rows,
            ones,
        )


def opened(model: nn.Module, *inputs: Tensor, **shapes: Any) -> mbc.Module:
    """Imported with the first axis of every input open."""
    axes = shapes or {"dynamic_shapes": tuple({0: Dim("batch")} for _ in inputs)}
    return mbc.import_model(model.eval(), inputs, **axes)


def test_the_text_says_what_is_open(tmp_path: Path):
    module = opened(Flat(), torch.ones(2, 2, 3))
    assert "%x: tensor<?x2x3xf32>" in module.text
    assert "-> (tensor<?x2xf32> {mbc.output = 0 : i64}, tensor<2x3xf32>" in module.text
    module.save(tmp_path / "m.mlir")
    again = mbc.Module.load(tmp_path / "m.mlir")
    assert again.text == module.text
    static = mbc.import_model(Flat(), [torch.ones(5, 2, 3)])
    assert again.specialize(5).text == static.text


@pytest.mark.parametrize("extent", EXTENTS)
def test_the_meaning_takes_any_extent(extent: int):
    module = opened(Flat(), torch.ones(2, 2, 3))
    weight = module.parameters["linear.weight"]
    rows, mean = execute(module.op, [weight, np.ones((extent, 2, 3), np.float32)])
    np.testing.assert_array_equal(rows, [[15, 51]] * extent or np.zeros((0, 2)))
    np.testing.assert_array_equal(mean, np.full((2, 3), 1 if extent else np.nan))


@pytest.fixture(scope="module")
def wide() -> tuple[nn.Module, mbc.Module]:
    torch.manual_seed(0)
    model = Wide().eval()
    return model, opened(model, torch.ones(2, 3, 6, 6))


@pytest.mark.parametrize("style", STYLES)
def test_one_model_runs_at_every_extent(style: str, wide: tuple[nn.Module, mbc.Module]):
    name, options = STYLES[style]
    flat = mbc.dispatch(opened(Flat(), torch.ones(2, 2, 3)), name, options)
    model, module = wide
    fast = mbc.dispatch(module, name, options)
    with available_runner(name) as runner, torch.no_grad():
        flat.use_runner(runner)
        fast.use_runner(runner)
        for extent in EXTENTS:
            rows, mean = flat(torch.ones(extent, 2, 3))
            assert rows.tolist() == [[15, 51]] * extent
            assert mean.isnan().all() if extent == 0 else (mean == 1).all()
        x = torch.randn(3, 3, 6, 6)
        torch.testing.assert_close(fast(x), model(x), rtol=1e-4, atol=1e-5)
    assert list(flat.artifacts) == list(EXTENTS)


def test_what_is_known_of_one_extent_is_kept():
    fast = mbc.dispatch(opened(Flat(), torch.ones(2, 2, 3)), "rvv")
    assert fast.at(3) is fast.at(3)
    one, other = fast.at(3).parameters, fast.at(4).parameters
    assert one["linear.weight"] is other["linear.weight"]


def test_inputs_must_agree():
    module = opened(
        as_module(lambda x, y: x + y),
        torch.ones(4, 2),
        torch.ones(4, 2),
        dynamic_shapes={"arguments": ({0: Dim("b")}, {0: Dim("b")})},
    )
    fast = mbc.dispatch(module, "rvv")
    with pytest.raises(InvalidInput, match="agree about their open extent: 3 and 5"):
        fast(torch.ones(3, 2), torch.ones(5, 2))
    with pytest.raises(InvalidInput, match=r"the model takes float32 \[3, 2\]"):
        fast(torch.ones(3, 2), torch.ones(3, 4))


@pytest.mark.parametrize("dim", [Dim("batch"), Dim.DYNAMIC, Dim.AUTO])
def test_an_example_batch_of_one_is_one_sentence(dim: Any):
    with pytest.raises(UnsupportedModel) as error:
        mbc.import_model(Flat(), [torch.ones(1, 2, 3)], ({0: dim},))
    assert str(error.value) == (
        "an example extent of 1 cannot stand for a dynamic dimension: use an example "
        "batch of at least 2"
    )


class Branching(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2 if x.size(0) <= 100 else x * 3


def test_extents_outside_of_the_exported_range_are_refused():
    shapes = ({0: Dim("batch", max=100)},)
    module = mbc.import_model(Branching(), [torch.ones(4, 2)], shapes)
    fast = mbc.dispatch(module, "rvv")
    for call in (fast, lambda x: execute(module.op, [x.numpy()])):
        with pytest.raises(InvalidInput, match="at least 0 and at most 100"):
            call(torch.ones(101, 2))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x * self.calls


REFUSED = [
    (lambda x: x * x.size(0), "in more than its shape"),
    (lambda x: torch.rand(x.size(0)) + x[:, 0], "cannot be kept open"),
    (lambda x: x[:5] + 1, "torch suggests b = Dim"),
    (lambda x: x @ torch.ones(2, 2) + torch.ones(4, 2), "torch suggests b = 4"),
]


@pytest.mark.parametrize(("function", "words"), REFUSED)
def test_what_depends_on_the_number_itself_is_refused(function: Any, words: str):
    shapes = {"arguments": ({0: Dim("b")},)}
    with pytest.raises(UnsupportedModel, match=words):
        mbc.import_model(as_module(function), [torch.ones(4, 2)], shapes)


PARTS = [
    (lambda x: x[1:] * 2, 3),
    (lambda x: x[:5] + 1, 5),
    (lambda x: torch.cat([x, x[:, :1].expand(-1, 2), x], 1), 0),
    (lambda x: torch.nn.functional.pad(x, (0, 1, 2, 1)), 0),
    (lambda x: (x @ x.t()).tril(), 0),
    (lambda x: x.softmax(0) + x.cumsum(0), 0),
]


@pytest.mark.parametrize(("function", "least"), PARTS)
def test_sums_and_products_of_the_extent_stay_open(function: Any, least: int):
    shapes = {"arguments": ({0: Dim("b", min=least)},)}
    module = mbc.import_model(as_module(function), [torch.ones(8, 2)], shapes)
    for extent in (least, least + 1, 9, 20):
        x = torch.rand(extent, 2)
        (found,) = execute(module.op, [x.numpy()])
        torch.testing.assert_close(torch.from_numpy(found.copy()), function(x))


def test_two_open_extents_are_refused():
    shapes = {"arguments": ({0: Dim("a"), 1: Dim("b")},)}
    with pytest.raises(UnsupportedModel, match="one dynamic dimension is supported"):
        mbc.import_model(as_module(lambda x: x + 1), [torch.ones(4, 3)], shapes)


def test_a_parameter_that_calls_change_has_no_place():
    module = opened(Counting(), torch.ones(4, 2))
    with pytest.raises(InvalidInput, match="calls change parameter 'calls'"):
        mbc.dispatch(module, "rvv")
    with pytest.raises(InvalidInput, match="run specialize"):
        mbc.lower(module, "rvv")
    fixed = module.specialize(3)
    with pytest.raises(InvalidInput, match="no extent of the model is open"):
        mbc.dispatch(fixed, "rvv")
