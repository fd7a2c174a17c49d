"""A server of a maintainer's session: `mkdocs serve` on a project, and what it says."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

PATIENCE = 120
"""Seconds to wait for what takes one or two where nothing else runs."""


@dataclass
class Session:
    """A server on a project, and what it says."""

    project: Path
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def save(self, file: str, old: str, new: str) -> None:
        path = self.project / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def get(self, path: str = "index.html") -> str:
        """Return a page; the server answers when the build that runs has ended."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=PATIENCE) as answer:
                text: bytes = answer.read()
        except HTTPError as fault:
            text = fault.read()
        return text.decode()

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def until_said(self, pattern: str, start: int = 0) -> str:
        """Wait for a message after ``start`` and return everything from there."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.said()[start:]):
            assert time.monotonic() < end, f"expected {pattern}, got {self.said()[start:]}"
            assert self.process.poll() is None, self.said()
            time.sleep(0.05)
        return self.said()[start:]

    def processor_seconds(self) -> float:
        """Return the processor time of the server and of processes of its that have ended."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        ticks = stat.rpartition(")")[2].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def served(self) -> Path:
        """Return the folder of the site that is served."""
        (shown,) = (self.project / "tmp").glob("mkdocs_*/shown")
        return shown


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def serving(project: Path) -> Iterator[Session]:
    """Serve a project, whose temporary files are then in its folder ``tmp``."""
    (project / "tmp").mkdir()
    port, log = free_port(), project / "tmp/log"
    # With this set, Python writes nothing that a build might take for an edit.
    kept = {name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}"],
            cwd=project,
            env={**kept, "TMPDIR": str(project / "tmp"), "NO_MKDOCS_2_WARNING": "1"},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    session = Session(project, port, process, log)
    try:
        yield session
    finally:
        process.send_signal(signal.SIGINT)
        ended = process.wait(PATIENCE)
    assert ended == 0, session.said()
    assert "Traceback" not in session.said()
    assert not list((project / "tmp").glob("mkdocs_*")), "left behind"
