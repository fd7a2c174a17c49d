"""What a page says of itself: title, description, address, and what a shared link shows."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup, Tag

from tests.site_checks import ROOT, SUB_PATH, BuiltSite, attribute, parsed, run

ADDRESS = "https://example.org/x/"


def said(page: BeautifulSoup) -> dict[str, str]:
    """Return what the head says to those who show a link."""
    tags = page.select("head meta[property^='og:'], head meta[name^='twitter:']")
    found = {
        attribute(tag, "property" if tag.has_attr("property") else "name"): attribute(
            tag, "content"
        )
        for tag in tags
    }
    assert len(found) == len(tags)
    return found


def themed(site: BuiltSite) -> dict[str, BeautifulSoup]:
    return {
        path: page
        for path, page in site.pages.items()
        if "/embed/" not in path and path != "404.html"
    }


def test_every_page_has_a_title_of_its_own(each_site: BuiltSite) -> None:
    titles = {}
    for path, page in themed(each_site).items():
        assert page.title is not None
        titles[path] = page.title.get_text().strip()
        assert "Speculative decoding, exactly" in titles[path], path
    # Figures of different profiles may find the same.
    own = [title for path, title in titles.items() if not path.startswith("figures/")]
    assert len(set(own)) == len(own)


def test_a_shared_link_says_what_the_page_does(published: BuiltSite) -> None:
    for path, page in themed(published).items():
        found = said(page)
        description = page.select_one("meta[name=description]")
        canonical = page.select_one("link[rel=canonical]")
        assert isinstance(description, Tag), path
        assert isinstance(canonical, Tag), path
        assert found["og:description"] == attribute(description, "content"), path
        assert found["og:url"] == attribute(canonical, "href") == SUB_PATH + path
        assert page.title is not None
        assert page.title.get_text().strip().startswith(found["og:title"]), path
        assert found["og:type"] == ("website" if path == "index.html" else "article")
        assert found["og:site_name"] == "Speculative decoding, exactly"


def test_a_site_without_an_address_names_none(site: BuiltSite) -> None:
    for path, page in themed(site).items():
        assert said(page).keys() == {"og:type", "og:site_name", "og:title", "og:description"}, path
        assert page.select("link[rel=canonical]") == []


def test_what_the_data_say_cannot_break_out(hostile_site: BuiltSite) -> None:
    for page in themed(hostile_site).values():
        assert page.head is not None
        names = {tag.name for tag in page.head.find_all(True)}
        assert names <= {"meta", "title", "link", "script", "style"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small site with our theme: a page with a picture of its own, and one without."""
    folder = tmp_path_factory.mktemp("small")
    settings = {
        "site_name": "Small",
        "site_url": ADDRESS,
        "theme": {"name": "material", "custom_dir": str(ROOT / "overrides"), "font": False},
        "use_directory_urls": False,
        "extra": {"social_image": "figures/default.slide.png"},
    }
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    (folder / "docs").mkdir()
    for name, meta in {
        "index": "description: A\n",
        "own": "description: B\nimage: figures/own.slide.png\n",
        "moved": "refresh: own.html\n",
    }.items():
        (folder / f"docs/{name}.md").write_text(f"---\n{meta}---\n# {name}\n", encoding="utf-8")
    done = run(folder, "mkdocs", "build", "--strict")
    assert done.returncode == 0, done.stdout
    return folder / "site"


@pytest.mark.parametrize(("path", "image"), [("index", "default"), ("own", "own")])
def test_a_shared_link_shows_a_picture(small: Path, path: str, image: str) -> None:
    found = said(parsed(small / f"{path}.html"))
    assert found["og:image"] == f"{ADDRESS}figures/{image}.slide.png"
    assert found["twitter:card"] == "summary_large_image"


def test_a_page_that_only_leads_on_is_not_shared(small: Path) -> None:
    assert said(parsed(small / "moved.html")) == {}
