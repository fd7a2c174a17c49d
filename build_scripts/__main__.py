"""The command line: ``python -m build_scripts site``, ``offline``, ``export`` and others."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from build_scripts.errors import SiteError
from build_scripts.output import tell
from build_scripts.site_folder import require_earlier_site, require_empty

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code, as the help says."""
    options = _parser().parse_args(arguments)
    if options.command == "verify":
        return _verified(options.file)
    if options.command == "diff":
        from build_scripts.comparing.command import diff

        return diff(options.old, options.new, ROOT, json=options.json)
    before = _identity(options.folder)
    try:
        with _stoppable():
            _run(options)
    except SiteError as fault:
        print(fault, file=sys.stderr)
        return 1
    except OSError as fault:
        print(f"{fault.filename or options.folder}: {fault.strerror or fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        if options.command == "figures":
            left = "no file is half written, some may be from before"
        elif _identity(options.folder) == before:
            left = "nothing was replaced"
        else:
            left = f"{options.folder} is new, and whole"
        print(f"interrupted: {left}", file=sys.stderr)
        return 128 + (stop.args[0] if isinstance(stop, _Stopped) else signal.SIGINT)
    return 0


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from one that takes its place."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _run(options: argparse.Namespace) -> None:
    """Run a command that writes something."""
    if options.command == "export":
        from build_scripts.generate import export  # slow, and building imports it for itself

        export(ROOT, options.folder, say=tell)
        tell(f"exported to {options.folder}")
    elif options.command == "figures":
        from build_scripts.generate import write_figures
        from build_scripts.wording import count

        written = write_figures(ROOT, options.folder, options.only, say=tell)
        tell(f"wrote {count(len(written), 'figure')} to {options.folder}")
    elif options.command == "publish":
        publish(ROOT, options.tag, options.folder, options.earlier)
    else:
        build_site(ROOT, options.folder, offline=options.command == "offline")


class _Stopped(KeyboardInterrupt):
    """Somebody has ended us by the signal that is its argument."""


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Have us tidy up, as after Ctrl-C, when the system or a closed terminal ends us."""

    def stop(number: int, _frame: object) -> None:
        raise _Stopped(number)

    # One that is ignored, as under `nohup`, stays ignored.
    heard = [
        each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) is signal.SIG_DFL
    ]
    for each in heard:
        signal.signal(each, stop)
    try:
        yield
    finally:
        for each in heard:
            signal.signal(each, signal.SIG_DFL)


def publish(root: Path, tag: str, folder: Path, earlier: Path | None) -> None:
    """Write the folder to put on a server: this version, in the root and kept, and all others.

    Args:
        root: the project folder.
        tag: of the version, such as ``v1.2.3``.
        folder: new or empty.
        earlier: what was published before; None for the first time.

    Raises:
        SiteError: the tag of another version, no address, or another site of this version is kept.
    """
    from build_scripts.publishing import assemble, kept_versions  # no other command needs it
    from build_scripts.work import read_work

    require_empty(folder)
    work = read_work(root, os.environ.get("SITE_URL", ""), tag)
    if not work.kept:
        raise SiteError(f"tag: expected v{work.version}, as in CITATION.cff, got {tag!r}")
    kept_versions(earlier)  # refused before anything is built
    with tempfile.TemporaryDirectory(prefix="publish.") as name:
        latest, kept = Path(name) / "latest", Path(name) / "kept"
        _build_apart(root, latest, RELEASE=tag)
        _build_apart(root, kept, RELEASE=tag, KEPT=work.version)
        assemble(folder, work.version, latest, kept, earlier)
    tell(f"ready to publish: {folder}")


def _build_apart(root: Path, folder: Path, **settings: str) -> None:
    """Build with a zip, in a process of its own: MkDocs keeps what it was told the first time.

    Raises:
        SiteError: the build failed; it has said why.
    """
    command = [sys.executable, "-m", "build_scripts", "offline", "--folder", str(folder)]
    done = subprocess.run(command, cwd=root, env={**os.environ, **settings}, check=False)
    if done.returncode:
        raise SiteError("nothing is ready to publish")


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
    require_earlier_site(folder)
    before = _identity(folder)
    if offline:
        os.environ["OFFLINE_ZIP"] = "1"  # the hook reads it
    try:
        _run_mkdocs(root, folder)
    except SiteError as fault:
        whose = "is as it was" if _identity(folder) == before else "is that of another build"
        raise SiteError(f"{fault}no site was built; {folder} {whose}") from fault
    tell(f"built in {time.monotonic() - started:.1f} s: open {folder / 'index.html'}")


def _run_mkdocs(root: Path, folder: Path) -> None:
    """Build with MkDocs, whose hook replaces ``folder`` as a whole.

    In this process: there is one to interrupt, and none goes on when it is killed.

    Raises:
        SiteError: the build failed; what MkDocs has not said is in the message.
    """
    from click import Abort, ClickException  # slow, like MkDocs
    from mkdocs.__main__ import cli

    command = ["build", "--strict", "--site-dir", str(folder)]
    try:
        with contextlib.chdir(root):
            cli.main(command, prog_name="mkdocs", standalone_mode=False)
    except ClickException as fault:
        fault.show()
        raise SiteError from fault
    except OSError as fault:
        place = fault.filename2 or fault.filename or folder
        raise SiteError(f"{place}: {fault.strerror}\n") from fault
    except Abort as fault:  # what an interruption becomes
        raise fault.__cause__ or KeyboardInterrupt from None


def _verified(file: Path) -> int:
    """Say what a figure's file is and return the exit code for that."""
    from build_scripts.verify import USAGE, verify  # building needs none of it

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a title has characters of any kind
    try:
        return verify(file, ROOT, say=tell)
    except SiteError as fault:  # no verdict that nobody was told
        print(fault, file=sys.stderr)
        return USAGE


class _Parser(argparse.ArgumentParser):
    """Refuses with an exit code that no verdict has."""

    def error(self, message: str) -> NoReturn:
        from build_scripts.verify import USAGE

        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m build_scripts",
        description="Build the site, check its figures.",
        epilog="Exit codes: 0 done, 1 a fault that is told, 64 a wrong call; 130, 143 or 129 "
        "ended by Ctrl-C, SIGTERM or SIGHUP. A folder is replaced as a whole or not at all, but "
        "for that of figures, which may hold other files. Verify and diff have codes of their own.",
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
    publishing = commands.add_parser(
        "publish",
        help="build what to put on a server",
        description="Build the site of a release, for the root and to be kept for those who cite "
        "it, with all versions published before. Needs SITE_URL.",
    )
    publishing.add_argument("tag", metavar="TAG", help="of the version, such as v1.2.3")
    publishing.add_argument("folder", type=Path, metavar="DIR", help="a new or an empty folder")
    publishing.add_argument(
        "--earlier", type=Path, metavar="DIR", help="what was published before, if anything"
    )
    plain = commands.add_parser(
        "export",
        help="write the site as plain Markdown for any generator",
        description="Write Markdown, assets and mkdocs.yml to a new or an empty folder.",
    )
    plain.add_argument("folder", type=Path, metavar="DIR", help="a new or an empty folder")
    figures = commands.add_parser(
        "figures",
        help="write the figures alone",
        description="Write the figures in every format, and the manifest of all, without the site.",
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
    change = commands.add_parser(
        "diff",
        help="show what a change of data changes for readers",
        description="Show every number, text and figure of the site that a change of data changes.",
        epilog="Two files stand for the data file whose name one of them has, else the one with "
        "which they share a profile, else a further one; the others stay as they are. Exit "
        "codes: 0 nothing changes for readers, 1 something does, 2 bad data or nothing to read.",
    )
    change.add_argument(
        "old", metavar="OLD", help="a data file, a folder of them, or a revision of git"
    )
    change.add_argument("new", metavar="NEW", nargs="?", help="likewise (default: data/)")
    change.add_argument("--json", action="store_true", help="as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
