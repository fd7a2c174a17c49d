"""The command line: ``python -m build_scripts site``, ``offline``, ``export`` and others."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from build_scripts.errors import SiteError

ROOT = Path(__file__).resolve().parent.parent

SECONDS_TO_END = 10
"""Patience with an interrupted build, which finishes the figures in hand."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 if nothing was built, or that of `verify`."""
    options = _parser().parse_args(arguments)
    if options.command == "verify":
        return _verified(options.file)
    try:
        if options.command == "export":
            from build_scripts.generate import export  # slow, and MkDocs imports it for itself

            export(ROOT, options.folder, say=_say)
            print(f"exported to {options.folder}")
        elif options.command == "figures":
            from build_scripts.generate import write_figures
            from build_scripts.wording import count

            written = write_figures(ROOT, options.folder, options.only, say=_say)
            print(f"wrote {count(len(written), 'figure')} to {options.folder}")
        else:
            build_site(ROOT, options.folder, offline=options.command == "offline")
    except SiteError as fault:
        print(fault, file=sys.stderr)
        return 1
    except OSError as fault:
        print(f"{fault.filename or options.folder}: {fault.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        left = (
            "some files may be missing" if options.command == "figures" else "nothing was replaced"
        )
        print(f"interrupted: {left}", file=sys.stderr)
        return 130
    return 0


def _say(line: str) -> None:
    print(f"{line}\n", end="", flush=True)  # at once, and in one piece: threads speak, too


def build_site(root: Path, folder: Path, *, offline: bool = False) -> None:
    """Build into ``folder``, which is replaced only by a site that built without a warning.

    Args:
        root: the project folder.
        folder: new, empty, or an earlier site; anything else there is refused.
        offline: whether the site is to have a zip of itself.

    Raises:
        SiteError: another thing is in the way, or the build failed; MkDocs has said why.
    """
    started = time.monotonic()
    folder = folder.absolute()  # MkDocs runs in the project folder
    _require_replaceable(folder)
    try:
        # A name of its own: two builds at once do not meet.
        fresh = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    except OSError as fault:
        raise SiteError(f"{folder}: cannot be written ({fault.strerror})") from fault
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(fresh)]
    environment = {**os.environ, "OFFLINE_ZIP": "1"} if offline else None  # the hook reads it
    try:
        if _outcome(command, root, environment):
            raise SiteError(f"no site was built; {folder} is as it was")
        fresh.chmod(0o755)  # readable by a server, unlike other temporary folders
        _replace(folder, fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    print(f"built in {time.monotonic() - started:.1f} s: open {folder / 'index.html'}")


def _outcome(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None) -> int:
    """Run a command and return its exit code; an interruption reaches it, too, and it may end."""
    with subprocess.Popen(command, cwd=folder, env=environment) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS_TO_END)
            process.kill()
            raise


def _require_replaceable(folder: Path) -> None:
    """Refuse to replace what is no earlier site.

    Raises:
        SiteError: a file, a link, or a folder with something else in it.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise SiteError(f"{folder}: expected a folder or nothing, found something else")
    ours = all((folder / name).exists() for name in ("index.html", "404.html", "assets"))
    if folder.exists() and any(folder.iterdir()) and not ours:
        raise SiteError(f"{folder}: expected an earlier site or an empty folder, found other files")


def _replace(folder: Path, fresh: Path) -> None:
    """Put ``fresh`` in the place of ``folder``, or leave the old one there."""
    old = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        if folder.exists():
            folder.rename(old)
        try:
            fresh.rename(folder)
        except OSError as fault:
            if not folder.exists() and any(old.iterdir()):
                old.rename(folder)
            raise SiteError(f"{folder}: another build has just written it") from fault
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _verified(file: Path) -> int:
    """Say what a figure's file is and return the exit code for that."""
    from build_scripts.verify import verify  # building needs none of it

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a title has characters of any kind
    return verify(file, ROOT, say=print)


class _Parser(argparse.ArgumentParser):
    """Refuses with an exit code that no verdict has."""

    def error(self, message: str) -> NoReturn:
        from build_scripts.verify import USAGE

        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m build_scripts", description="Build the site, check its figures."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    site = commands.add_parser("site", help="build the site", description="Build the site.")
    offline = commands.add_parser(
        "offline",
        help="build the site with a zip of it",
        description="Build the site with a zip of it, to read and search without a network.",
    )
    for command in (site, offline):
        command.add_argument(
            "--folder", type=Path, default=ROOT / "site", metavar="DIR", help="default: site/"
        )
    plain = commands.add_parser(
        "export",
        help="write the site as plain Markdown for any generator",
        description="Write Markdown, assets and mkdocs.yml to a new folder.",
    )
    plain.add_argument("folder", type=Path, metavar="DIR", help="a new or an empty folder")
    figures = commands.add_parser(
        "figures",
        help="write the figures alone",
        description="Write the figures in every format, with their manifest, without the site.",
    )
    figures.add_argument(
        "--only", action="append", default=[], metavar="SLUG", help="this one; may be repeated"
    )
    figures.add_argument(
        "--out",
        dest="folder",
        type=Path,
        default=ROOT / "build/figures",
        metavar="DIR",
        help="default: build/figures/",
    )
    figure = commands.add_parser(
        "verify",
        help="say whether a figure's file is unchanged and of the present data",
        description="Say what a figure's file is of, and whether it still is what it was.",
        epilog="Exit codes: 0 current, 1 data or engine have changed since, 2 the file has been "
        "modified, 3 it is not one of ours, 64 there is no such file.",
    )
    figure.add_argument("file", type=Path, metavar="FILE", help="SVG, PDF or PNG, of any name")
    return parser


if __name__ == "__main__":
    sys.exit(main())
