"""The build from the command line: ``python -m build_scripts site`` or ``export DIR``."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from build_scripts.errors import SiteError

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 1 when there is nothing to publish."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "export":
            from build_scripts.generate import export  # slow, and MkDocs imports it for itself

            export(ROOT, options.folder, say=print)
            print(f"exported to {options.folder}")
        else:
            build_site(ROOT, options.folder)
    except (SiteError, OSError) as fault:
        print(fault, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: nothing was replaced", file=sys.stderr)
        return 130
    return 0


def build_site(root: Path, folder: Path) -> None:
    """Build into ``folder``, which is replaced only by a site that built without a warning.

    Raises:
        SiteError: the build failed; MkDocs has said why.
    """
    started = time.monotonic()
    folder = folder.absolute()  # MkDocs runs in the project folder
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(fresh)]
    try:
        if subprocess.run(command, cwd=root, check=False).returncode:
            raise SiteError(f"no site was built; {folder} is as it was")
        _replace(folder, fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    print(f"built in {time.monotonic() - started:.1f} s: open {folder / 'index.html'}")


def _replace(folder: Path, fresh: Path) -> None:
    """Put ``fresh`` in the place of ``folder``, or leave the old one there."""
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    try:
        fresh.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m build_scripts", description="Build the site.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    site = commands.add_parser("site", help="build the site", description="Build the site.")
    site.add_argument(
        "--folder", type=Path, default=ROOT / "site", metavar="DIR", help="default: site/"
    )
    plain = commands.add_parser(
        "export",
        help="write the site as plain Markdown for any generator",
        description="Write Markdown, assets and mkdocs.yml to a new folder.",
    )
    plain.add_argument("folder", type=Path, metavar="DIR", help="a new or an empty folder")
    return parser


if __name__ == "__main__":
    sys.exit(main())
