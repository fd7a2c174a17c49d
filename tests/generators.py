"""Builds an export with generators that know nothing of this project, in an environment apart."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.site_checks import ROOT, BuiltSite, run

PYTHON = ROOT / ".cache/generators/bin/python"

COMMANDS = {
    "mkdocs": ("build", "--strict"),
    "properdocs": ("build", "--strict", "--config-file", "mkdocs.yml"),
    "zensical": ("build", "--strict", "--clean"),
}
"""As the README of the export says."""


def exported_from(site: BuiltSite, folder: Path) -> BuiltSite:
    """Export a site's project; of what is returned, the project is the export."""
    plain = folder / "plain"
    preview = not any(site.folder.rglob("agreement.pdf"))
    done = run(site.project, "build_scripts", "export", plain, PREVIEW=str(int(preview)))
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == f"exported to {plain}"
    return BuiltSite(plain, plain, done.stdout)


def built_by(generator: str, plain: BuiltSite, folder: Path) -> BuiltSite:
    """Build a copy of an export; Python sees neither this project nor the packages it needs."""
    assert PYTHON.exists(), f"no {PYTHON}: make .cache/generators/ready.stamp"
    project = shutil.copytree(plain.project, folder / "project")
    done = subprocess.run(
        [PYTHON, "-I", "-m", generator, *COMMANDS[generator]],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return BuiltSite(plain.project, project / "site", done.stdout)
