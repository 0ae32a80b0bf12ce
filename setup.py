"""The list of packages; everything else about the project is in pyproject.toml.

Two folders live at the top level of the repository but ship inside the package, as
`mbc._kb` and `mbc._rvvcost`. pyproject.toml can either find packages or map them,
not both.
"""

from setuptools import find_namespace_packages, setup

DATA = {"mbc._kb": "kb", "mbc._rvvcost": "tools/rvvcost"}

setup(
    packages=[
        *find_namespace_packages(include=["mbc", "mbc.*"], exclude=["*.__pycache__"]),
        *DATA,
    ],
    package_dir=DATA,
)
