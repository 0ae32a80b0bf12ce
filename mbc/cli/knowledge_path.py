"""Where the knowledge base is: `--kb`, else the settings, else the user's folder."""

from __future__ import annotations

from pathlib import Path

from mbc.cli.arguments import Parser
from mbc.cli.config import settings
from mbc.errors import InvalidInput


def add_knowledge(parser: Parser) -> None:
    parser.add_argument(
        "--kb",
        type=Path,
        metavar="PATH",
        help="knowledge base; default: $MBC_KB, else one in the user's data folder",
    )


def default_path() -> Path:
    configured = settings()["kb"].value
    if isinstance(configured, Path):
        return configured
    import platformdirs

    return Path(platformdirs.user_data_dir("mbc")) / "kb.db"


def chosen_path(given: Path | None) -> Path:
    return given or default_path()


def existing_path(given: Path | None) -> Path:
    """For commands that only read: a mistyped path is not created."""
    path = chosen_path(given)
    if not path.exists():
        raise InvalidInput(
            f"there is no knowledge base at {path}; mbc tune makes one, --kb names one"
        )
    return path
