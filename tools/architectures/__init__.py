"""Real architectures with random weights: do they import, and mean the same?

    python -m tools.architectures [NAME ...] [--target opencl] [--results FILE.jsonl]

needs `transformers` and `timm`, which mbc itself does not.
"""
