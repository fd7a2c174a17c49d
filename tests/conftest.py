"""Sites that are built once and looked at by many tests.

Tests that need the same site are in one `xdist_group`, so that one worker builds it.
"""

from __future__ import annotations

import pytest

from tests.hostile import write_hostile_data
from tests.site_checks import SUB_PATH, BuiltSite, build, copy_project


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """Return the site of a clean copy of this project, as ``make site`` builds it."""
    return build(copy_project(tmp_path_factory.mktemp("clone") / "project"))


@pytest.fixture(scope="session")
def directory_site(site: BuiltSite) -> BuiltSite:
    """Return the same site with directory URLs, for a sub-path of a host."""
    return build(
        site.project,
        site.project.parent / "directories",
        DIRECTORY_URLS="true",
        SITE_URL=SUB_PATH,
    )


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """Return a site whose data try to break out, and whose numbers are at their limits."""
    project = copy_project(tmp_path_factory.mktemp("hostile") / "project")
    write_hostile_data(project / "data")
    return build(project)


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("site", marks=pytest.mark.xdist_group("site")),
        pytest.param("hostile_site", marks=pytest.mark.xdist_group("hostile")),
    ],
)
def each_site(request: pytest.FixtureRequest) -> BuiltSite:
    """Return one site after the other."""
    built: BuiltSite = request.getfixturevalue(request.param)
    return built
