"""Opening the knowledge base's file, and saying in one sentence why it cannot be.

Several processes may write at once: WAL, a 30 s busy timeout, and writes that take
the lock when they begin. A file that is not ours, or is newer, is never touched.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from sqlite_utils import Database

from mbc.errors import InvalidInput

SCHEMA_VERSION = 2
APPLICATION_ID = 0x6D626331
BUSY_SECONDS = 30.0


Row = dict[str, Any]


class Store(Protocol):
    """What we use of `sqlite_utils.Database`, with types."""

    @property
    def conn(self) -> sqlite3.Connection: ...
    def query(self, sql: str, params: Sequence[Any], /) -> Iterator[Row]: ...
    def close(self) -> None: ...


def open_database(path: str) -> Store:
    """Open or create; `:memory:` is a knowledge base that dies with the process."""
    with described(path):
        _make_folder(path)
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _check(connection, path)
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
    return Database(connection)


@contextmanager
def described(path: str) -> Generator[None]:
    """Turn what SQLite and the file system say into one sentence naming the file."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"cannot use knowledge base {path}: {reason}") from error


@contextmanager
def transaction(database: Store) -> Generator[None]:
    """All or nothing, also when interrupted."""
    connection = database.conn
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def schema_text() -> str:
    """In a wheel `kb` lies inside the package as `_kb`, in a source tree beside it."""
    package = Path(__file__).parents[1]
    inside = package / "_kb" / "schema.sql"
    beside = package.parent / "kb" / "schema.sql"
    return (inside if inside.exists() else beside).read_text(encoding="utf-8")


def _make_folder(path: str) -> None:
    if path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)


def _check(connection: sqlite3.Connection, path: str) -> None:
    """Refuse before the first write.

    One transaction, or a file that another process is creating shows one half of it.
    """
    connection.execute("BEGIN")
    version = _pragma(connection, "user_version")
    ours = _pragma(connection, "application_id") == APPLICATION_ID
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    connection.execute("COMMIT")
    if not ours and (version or tables):
        raise InvalidInput(f"{path} is an SQLite file, but not a knowledge base of mbc")
    if version > SCHEMA_VERSION:
        raise InvalidInput(
            f"knowledge base {path} has version {version}, newer than this mbc, "
            f"which reads up to {SCHEMA_VERSION}"
        )
    problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        sentence = " ".join(problem.split())
        raise InvalidInput(f"knowledge base {path} is damaged: {sentence}")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Wait here: SQLite's busy timeout does not cover a change of the journal mode."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            locked = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
            if not locked or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _prepare(connection: sqlite3.Connection) -> None:
    _use_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    if _pragma(connection, "user_version") < SCHEMA_VERSION:
        connection.executescript(f"BEGIN IMMEDIATE; {schema_text()} COMMIT;")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]
