"""Results at several vector lengths: the order of additions, or another program."""

import numpy as np

from mbc.runtime.rvv.agreement import disagreement


def results(one: float, other: float):
    return {
        128: {"y0": np.array([one, 0.0], np.float32)},
        256: {"y0": np.array([other, 0.0], np.float32)},
    }


def test_the_order_of_additions_is_no_difference():
    assert disagreement(results(1.0, 1.0001)) is None
    assert "between VLEN 128 and 256 in 'y0'" in str(disagreement(results(1.0, 1.01)))


def test_what_cancels_is_seen_beside_the_inputs():
    """A mean of normalized values is zero but for rounding."""
    inputs = [np.array([1.0, -3.0], np.float32), np.array([7], np.int64)]
    assert disagreement(results(1e-9, -2e-9)) is not None
    assert disagreement(results(1e-9, -2e-9), inputs) is None
    assert disagreement(results(1e-3, 2e-3), inputs) is not None


def test_large_inputs_excuse_no_more():
    large = [np.array([1e30], np.float32)]
    assert disagreement(results(0.25, 0.5), large) is not None
    assert disagreement(results(1e-5, 2e-5), large) is not None


def test_special_values_must_be_in_the_same_places():
    assert disagreement(results(np.nan, np.nan)) is None
    assert disagreement(results(np.inf, 1.0), [np.ones(1)]) is not None
