"""Sites that are built once, whatever the number of workers, and looked at by many tests."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import settings

from build_scripts.offline import FOLDER, OFFLINE_ZIP
from tests.generators import built_by, exported_from
from tests.hostile import write_hostile_data
from tests.site_checks import SUB_PATH, BuiltSite, build, built_once, copy_cache, copy_project

# A shell that puts the tests into the background has them, and all they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("project", deadline=None)  # a loaded machine is no fault of the code
settings.load_profile("project")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a temporary folder of this run that all workers share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def site(shared_folder: Path) -> BuiltSite:
    """Return the site of a clean copy of this project, as ``make site`` builds it."""
    return built_once(
        shared_folder, "shipped", lambda folder: build(copy_project(folder / "project"))
    )


@pytest.fixture(scope="session")
def published(site: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return the site built for a sub-path of a host."""

    def make(folder: Path) -> BuiltSite:
        # A copy, and a preview: else all slides would be drawn, for they show the address.
        project = shutil.copytree(site.project, folder / "project")
        return build(project, SITE_URL=SUB_PATH, PREVIEW="true")

    return built_once(shared_folder, "published", make)


@pytest.fixture(scope="session")
def directory_site(published: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return that site with directory URLs."""
    return built_once(
        shared_folder,
        "directories",
        lambda folder: build(
            published.project,
            folder / "site",
            DIRECTORY_URLS="true",
            SITE_URL=SUB_PATH,
            PREVIEW="true",
        ),
    )


@pytest.fixture(scope="session")
def with_zip(published: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return that site with a zip of itself, as ``make offline`` builds it."""

    def make(folder: Path) -> BuiltSite:
        project = shutil.copytree(published.project, folder / "project")
        return build(project, command="offline", SITE_URL=SUB_PATH, PREVIEW="true")

    return built_once(shared_folder, "with-zip", make)


@pytest.fixture(scope="session")
def unzipped(with_zip: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return the site in the zip."""

    def make(folder: Path) -> BuiltSite:
        with ZipFile(with_zip.folder / OFFLINE_ZIP) as archive:
            archive.extractall(folder)
        return BuiltSite(with_zip.project, folder / FOLDER, with_zip.output)

    return built_once(shared_folder, "unzipped", make)


@pytest.fixture(scope="session")
def hostile_site(site: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return a site whose data try to break out, and whose numbers are at their limits.

    It is a preview, without the formats of figures that no page shows.
    """

    def make(folder: Path) -> BuiltSite:
        project = copy_project(folder / "project")
        copy_cache(site.project, project)
        write_hostile_data(project / "data")
        # All formats of so many figures take minutes; test_figure_files tries some of them.
        return build(project, PREVIEW="true")

    return built_once(shared_folder, "hostile", make)


@pytest.fixture(scope="session", params=["site", "hostile_site"])
def each_site(request: pytest.FixtureRequest) -> BuiltSite:
    """Return one site after the other."""
    built: BuiltSite = request.getfixturevalue(request.param)
    return built


ExportOf = Callable[[BuiltSite, str], BuiltSite]


@pytest.fixture(scope="session")
def export_of(shared_folder: Path) -> ExportOf:
    """Return a function that exports a site and has a generator build it; each is done once."""

    def export_of(site: BuiltSite, generator: str) -> BuiltSite:
        name = f"{site.project.parent.name}-plain"
        plain = built_once(shared_folder, name, lambda folder: exported_from(site, folder))
        return built_once(
            shared_folder, f"{name}-{generator}", lambda folder: built_by(generator, plain, folder)
        )

    return export_of
