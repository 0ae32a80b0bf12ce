"""The command line's fixtures serve here, too."""

from tests.cli.conftest import here, mbc_opt

__all__ = ["here", "mbc_opt"]
