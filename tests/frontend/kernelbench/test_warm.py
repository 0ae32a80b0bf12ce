"""What problems are forked from has no GPU, whatever the machine has."""

import subprocess
import sys

AS_IF_THERE_WAS_ONE = """
import torch

def touched(*_):
    raise RuntimeError("the GPU was touched")

torch.cuda.is_available = lambda: True
torch.cuda.get_rng_state = touched
import mbc.frontend.kernelbench.warm
assert not torch.cuda.is_available()
"""


def test_loading_touches_no_gpu():
    ended = subprocess.run(
        [sys.executable, "-c", AS_IF_THERE_WAS_ONE], capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
