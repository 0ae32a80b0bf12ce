"""CUDA without a GPU: right kernels pass, wrong ones say how they fail."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest

from mbc.codegen.program import Buffer, Launch, Program
from mbc.ir.types import Array
from mbc.runtime.cuda.client import WorkerClient
from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.cuda.runner import CudaRunner
from mbc.runtime.cuda.wire import (
    Ended,
    decode_program,
    encode_program,
    receive,
    send,
)
from mbc.runtime.outcome import Completed, EmitOnly, Failed, NotMeasured
from tests.runtime.trials import unjudged

N = 96

REVERSED = """
extern "C" __global__ void f(const float *x, float *y) {
  __shared__ float row[96];
  row[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = row[95 - threadIdx.x];
}
"""
WARP_SUM = """
extern "C" __global__ void f(const float *x, float *y) {
  float sum = x[threadIdx.x];
  for (int offset = 16; offset; offset /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, offset);
  y[threadIdx.x] = sum;
}
"""


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedCudaRunner]:
    available = EmulatedCudaRunner().availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MBC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield EmulatedCudaRunner()


@pytest.fixture
def inputs() -> dict[str, Array]:
    return {"x": np.random.default_rng(0).standard_normal(N).astype(np.float32)}


def program(source: str) -> Program:
    buffers = (Buffer("x", "f32", (N,), "input"), Buffer("y", "f32", (N,), "output"))
    launch = Launch("f", ("x", "y"), (1, 1, 1), (N, 1, 1))
    return Program("cuda", source, buffers, (launch,))


def body(text: str) -> str:
    return f'extern "C" __global__ void f(const float *x, float *y) {{ {text} }}'


def outputs(runner: EmulatedCudaRunner, source: str, inputs: dict[str, Array]) -> Array:
    outcome = runner.run(program(source), inputs)
    assert isinstance(outcome, Completed), outcome
    return outcome.outputs["y"]


def test_shared_memory(emulated: EmulatedCudaRunner, inputs: dict[str, Array]) -> None:
    np.testing.assert_array_equal(
        outputs(emulated, REVERSED, inputs), inputs["x"][::-1]
    )


def test_missing_barrier_shows(
    emulated: EmulatedCudaRunner, inputs: dict[str, Array]
) -> None:
    racy = REVERSED.replace("__syncthreads();", "")
    for _ in range(2):
        found = outputs(emulated, racy, inputs)
        assert not np.array_equal(found, inputs["x"][::-1])


def test_a_maximum_over_uninitialised_shared_memory_shows(
    emulated: EmulatedCudaRunner, inputs: dict[str, Array]
) -> None:
    """`fmaxf` ignores NaN, so this is right wherever memory is only ever NaN."""
    text = body(
        "__shared__ float best[96]; const int t = threadIdx.x; "
        "best[t] = fmaxf(best[t], x[t]); y[t] = best[t];"
    )
    first, again = (outputs(emulated, text, inputs) for _ in range(2))
    assert not np.array_equal(first, again)


def test_shuffles(emulated: EmulatedCudaRunner, inputs: dict[str, Array]) -> None:
    sums = inputs["x"].reshape(-1, 32).sum(1)
    found = outputs(emulated, WARP_SUM, inputs)
    np.testing.assert_allclose(found, np.repeat(sums, 32), rtol=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y[threadIdx.x + 1] = x[0];", "outside its buffers"),
        ("y[threadIdx.x] = x[threadIdx.x - 1];", "outside its buffers"),
        ("((float *)x)[96] = 1; y[0] = 0;", "outside its buffers"),
        ("((float *)x)[0] = 1; y[0] = 0;", "wrote to input 'x'"),
        (
            "if (threadIdx.x > 40) __syncthreads(); else __syncwarp(); "
            "if (threadIdx.x == 33) __syncwarp();",
            "different barriers",
        ),
    ],
    ids=["write", "read", "input_end", "input", "barrier"],
)
def test_wrong_kernels(
    emulated: EmulatedCudaRunner, inputs: dict[str, Array], text: str, message: str
) -> None:
    outcome = emulated.run(program(body(text)), inputs)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "crash"
    assert message in outcome.message


def test_text_that_is_no_cuda(
    emulated: EmulatedCudaRunner, inputs: dict[str, Array]
) -> None:
    outcome = emulated.run(program(body("y[0] = unknown;")), inputs)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "compile_fail"
    assert "unknown" in outcome.message


def test_what_was_not_written_changes_between_runs(
    emulated: EmulatedCudaRunner, inputs: dict[str, Array]
) -> None:
    text = body("if (threadIdx.x) y[threadIdx.x] = 1;")
    first, again = (outputs(emulated, text, inputs) for _ in range(2))
    assert np.isnan(first[0]) != np.isnan(again[0])
    assert (first[1:] == 1).all()
    assert (again[1:] == 1).all()


def test_emulation_yields_no_time(inputs: dict[str, Array]) -> None:
    (measured,) = EmulatedCudaRunner().measure([unjudged(program(REVERSED), inputs)], 5)
    assert isinstance(measured, NotMeasured)


def test_programs_survive_the_wire() -> None:
    sent = program(REVERSED)
    stream = io.BytesIO()
    send(stream, {"program": encode_program(sent)}, [b"abc", b""])
    stream.seek(0)
    message = receive(stream)
    assert decode_program(message.header["program"]) == sent
    assert message.blobs == [b"abc", b""]
    with pytest.raises(Ended):
        receive(stream)


@pytest.mark.parametrize(
    "text", [b"not json", b"[]", b"{}", b'{"sizes": [-1]}', b'{"sizes": [1e99]}']
)
def test_what_is_no_message_ends_the_channel(text: bytes) -> None:
    with pytest.raises(Ended):
        receive(io.BytesIO(len(text).to_bytes(8, "little") + text))


def test_a_lost_worker_is_one_failure() -> None:
    client = WorkerClient()
    for _ in range(2):
        outcome = client.ask({"ask": "nothing known"}, (), 60)
        assert isinstance(outcome, Failed)
        assert outcome.kind == "crash"
        assert "nothing known" in outcome.message
    client.close()


def test_a_silent_worker_times_out() -> None:
    client = WorkerClient()
    outcome = client.ask({"ask": "hello"}, (), 0.001)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "timeout"
    assert client.process is None


def test_without_a_gpu_nothing_is_measured(inputs: dict[str, Array]) -> None:
    runner = CudaRunner()
    if "emulat" not in runner.device():
        pytest.skip("there is a GPU")
    (measured,) = runner.measure([unjudged(program(REVERSED), inputs)], 5)
    assert isinstance(measured, NotMeasured)
    assert "no NVIDIA GPU" in measured.reason
