"""Files of the figures on a built site: each complete, unchanged, and telling what it is."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
from collections.abc import Iterator
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from PIL import Image, ImageOps
from pypdf import PdfReader
from pypdf.generic import DictionaryObject

import specdec
from build_scripts.figure_pages import PUBLISHED
from build_scripts.figures.drawing import for_print, slide
from build_scripts.figures.figure import Figure
from build_scripts.figures.files import FORMATS
from build_scripts.figures.imprint import read_imprint
from build_scripts.figures.registry import all_figures
from build_scripts.figures.slide import FOOT, HEIGHT, WIDTH
from build_scripts.figures.table import Cell, Column, Table, read_csv, to_csv
from build_scripts.results import compute
from build_scripts.verify import CURRENT, verify
from tests import golden
from tests.hostile import TOKENS, unlike
from tests.site_checks import (
    ELSEWHERE,
    SUB_PATH,
    BuiltSite,
    attribute,
    copy_project,
    run,
    shown,
    without_isolates,
)

TOLERANCE = 12
"""Shades by which the mean of a small square of a picture may differ, of 255."""

KINDS = {"text": str, "count": int, "exact": Fraction, "measured": float}


def manifest_of(site: BuiltSite) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((site.folder / "figures/manifest.json").read_bytes())
    return found


def figures_of(site: BuiltSite) -> Iterator[tuple[dict[str, Any], dict[str, bytes]]]:
    """Yield each figure of the manifest with the content of its files."""
    for figure in manifest_of(site)["figures"]:
        yield (
            figure,
            {
                name: (site.folder / "figures" / file["path"]).read_bytes()
                for name, file in figure["files"].items()
            },
        )


# The manifest.


def test_the_manifest_fits_its_schema(each_site: BuiltSite) -> None:
    schema = json.loads((each_site.folder / "figures/manifest.v1.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(manifest_of(each_site))


def test_a_preview_has_the_formats_that_pages_show(
    site: BuiltSite, hostile_site: BuiltSite
) -> None:
    for built, names in ((site, list(FORMATS)), (hostile_site, ["svg", "dark", "csv", "json"])):
        assert {tuple(figure["files"]) for figure in manifest_of(built)["figures"]} == {
            tuple(names)
        }
    said = "This is a preview: the other formats are written by a complete build."
    assert said in hostile_site.texts["figures/agreement/index.html"]
    assert said not in site.texts["figures/agreement/index.html"]


def test_the_manifest_lists_every_file_with_its_digest_and_no_other(each_site: BuiltSite) -> None:
    listed = set()
    for figure, files in figures_of(each_site):
        for name, content in files.items():
            entry = figure["files"][name]
            assert entry["sha256"] == hashlib.sha256(content).hexdigest()
            assert entry["bytes"] == len(content)
            listed.add(f"figures/{entry['path']}")
        assert f"figures/{figure['page']}index.html" in each_site.files
    there = {path for path in each_site.files if re.fullmatch(r"figures/[^/]+", path)}
    assert there - listed == {
        "figures/index.html", "figures/manifest.json", "figures/manifest.v1.schema.json",
    }  # fmt: skip


def test_data_and_digest_are_those_of_a_file_on_the_site(each_site: BuiltSite) -> None:
    for figure in manifest_of(each_site)["figures"]:
        content = (each_site.folder / figure["data"]).read_bytes()
        assert figure["data_sha256"] == hashlib.sha256(content).hexdigest()
        assert figure["engine_version"] == specdec.__version__


def test_the_random_profiles_are_those_of_the_engine(site: BuiltSite) -> None:
    from specdec.agreement import agreement_profiles

    found = json.loads((site.folder / "data/random/profiles.json").read_bytes())
    for given_, profile in zip(found["profiles"], agreement_profiles(found["seed"]), strict=True):
        for name in ("target", "draft"):
            rows = [list(map(Fraction, row)) for row in given_[name]]
            assert rows == [list(law.probabilities) for law in getattr(profile, name)]
        assert list(map(Fraction, given_["bonus"])) == list(profile.bonus.probabilities)


# What files say.


def test_each_picture_is_current_and_says_what_the_manifest_says(each_site: BuiltSite) -> None:
    for figure, files in figures_of(each_site):
        for name in files.keys() - {"csv", "json"}:
            read = read_imprint(files[name])
            assert read is not None
            assert read.intact
            said = read.imprint
            assert said.slug == figure["id"]
            assert said.data == figure["data"]
            assert said.data_sha256 == figure["data_sha256"]
            assert said.engine_version == figure["engine_version"]
            assert said.licence == figure["licence"]
            assert said.source == "unpublished build"
            assert said.alt == figure["alt"]


def test_a_file_of_the_site_is_verified_under_another_name(site: BuiltSite, tmp_path: Path) -> None:
    for number, ending in enumerate((".svg", ".dark.svg", ".pdf", ".png", ".slide.png")):
        copy = tmp_path / f"Figure {number}.bin"
        copy.write_bytes((site.folder / f"figures/agreement{ending}").read_bytes())
        assert verify(copy, site.project, lambda _line: None) == CURRENT


def every_format(figure: Figure) -> dict[str, bytes]:
    return {**for_print(figure), **slide(figure, "Credit")}


@pytest.fixture(scope="module")
def hard(hostile_site: BuiltSite) -> list[tuple[Figure, dict[str, bytes]]]:
    """Return figures of hostile data in the formats that a preview leaves out."""
    slugs = ("positions-tokens", "timeline-texts-1", "outcome-tree-twelve", "draft-cost-disjoint")
    figures = {each.slug: each for each in all_figures(compute(hostile_site.project))}
    return [(figures[slug], every_format(figures[slug])) for slug in slugs]


def test_pdf_files_have_text_in_fonts_that_are_embedded_and_no_type_3(
    site: BuiltSite, hard: list[tuple[Figure, dict[str, bytes]]]
) -> None:
    pairs = [(figure["title"], files["pdf"]) for figure, files in figures_of(site)]
    for title, pdf in [*pairs, *((figure.title, files["pdf"]) for figure, files in hard)]:
        (page,) = PdfReader(io.BytesIO(pdf)).pages
        resources = page["/Resources"].get_object()
        assert isinstance(resources, DictionaryObject)
        fonts = resources["/Font"].get_object()
        assert isinstance(fonts, DictionaryObject)
        for font in fonts.values():
            kind = font.get_object()
            assert isinstance(kind, DictionaryObject)
            assert str(kind["/Subtype"]) in {"/Type0", "/TrueType"}, title
        assert letters(title) in letters(page.extract_text())


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def test_pictures_have_their_sizes_and_are_not_empty(
    site: BuiltSite, hard: list[tuple[Figure, dict[str, bytes]]]
) -> None:
    for figure, files in figures_of(site):
        shown = site.article(f"figures/{figure['id']}/index.html").select_one("figure img")
        assert shown is not None
        with Image.open(io.BytesIO(files["png"])) as png:
            for pixels, asked in zip(png.size, ("width", "height"), strict=True):
                assert abs(pixels - 2 * int(attribute(shown, asked))) <= 2
    for files in [*(files for _, files in figures_of(site)), *(files for _, files in hard)]:
        with Image.open(io.BytesIO(files["slide"])) as lecture:
            assert lecture.size == (1920, 1080)
        for name in ("png", "slide"):
            with Image.open(io.BytesIO(files[name])) as picture:
                shades = picture.convert("L").histogram()
            assert sum(shades[:100]) > 500, "expected dark ink"
            assert shades[255] > 0.3 * sum(shades), "expected white ground"


def inked(picture: Image.Image) -> Image.Image:
    """Return the part of a picture that is not white, small and grey."""
    grey = picture.convert("L")
    box = ImageOps.invert(grey).point(lambda shade: 255 * (shade > 8)).getbbox()
    return grey.crop(box).resize((190, 120), Image.Resampling.BOX)


def test_a_slide_shows_the_figure_and_words_below_it(site: BuiltSite) -> None:
    for figure, files in figures_of(site):
        with Image.open(io.BytesIO(files["slide"])) as lecture:
            shown = inked(lecture.crop((0, 0, WIDTH, HEIGHT - FOOT)))
            below = inked(lecture.crop((0, HEIGHT - FOOT, WIDTH, HEIGHT))).histogram()
        with Image.open(io.BytesIO(files["png"])) as png:
            difference = golden.difference(shown, inked(png))
        assert difference <= 4 * TOLERANCE, figure["id"]
        assert sum(below[:128]) > 100, "assumptions, limits and a credit"


# Numbers.


def test_csv_and_json_hold_the_same_numbers(each_site: BuiltSite) -> None:
    for figure, files in figures_of(each_site):
        document = json.loads(files["json"])
        columns = [Column(**column) for column in document["columns"]]
        table = read_csv(files["csv"], columns)
        for row, cells in zip(document["rows"], table.rows, strict=True):
            read = [
                None if value is None else KINDS[column.kind](value)
                for column, value in zip(columns, row.values(), strict=True)
            ]
            assert tuple(read) == cells, figure["id"]
        assert document["slug"] == figure["id"]
        assert document["data_sha256"] == figure["data_sha256"]


def test_no_cell_is_a_formula_or_a_date_to_a_spreadsheet(each_site: BuiltSite) -> None:
    for _figure, files in figures_of(each_site):
        for row in csv.reader(io.StringIO(files["csv"].decode("utf-8"), newline="")):
            for cell in row:
                assert not re.match(r"[=+\-@\t\r\n]|\d+/\d", cell), cell


@pytest.mark.parametrize("slug", json.loads(PUBLISHED.read_bytes())["slugs"])
def test_numbers_and_picture_are_the_golden_ones(site: BuiltSite, slug: str) -> None:
    """Numbers exactly; the picture about, which an empty or clipped one is not."""
    written = (site.folder / f"figures/{slug}.csv").read_bytes()
    assert golden.numbers(written) == (golden.FOLDER / f"{slug}.csv").read_bytes()
    drawn = golden.thumbnail((site.folder / f"figures/{slug}.png").read_bytes())
    with Image.open(golden.FOLDER / f"{slug}.png") as wanted:
        assert golden.difference(drawn, wanted) <= TOLERANCE
        blank = Image.new("L", wanted.size, 255)
        assert golden.difference(blank, wanted) > 2 * TOLERANCE


COLUMNS = (
    Column("what", "What", "text"),
    Column("n", "N", "count"),
    Column("rate", "Rate", "exact"),
    Column("seen", "Seen", "measured"),
)


def test_a_table_as_csv() -> None:
    table = Table(
        COLUMNS,
        [
            ("the, cat", 1, Fraction(1, 3), 0.5),
            ("=1+1", 2, Fraction(2), None),
            ("'t", 3, None, 1e-9),
        ],
    )
    written = to_csv(table, {"title": "A, =b", "note": "two\nlines"})
    assert written.decode() == (
        '"# title: A, =b"\r\n'
        "# note: two lines\r\n"
        "what,n,rate,rate_decimal,seen\r\n"
        '"the, cat",1,\'1/3,0.3333333333333333,0.5\r\n'
        "'=1+1,2,2,2.0,\r\n"
        "''t,3,,,1e-09\r\n"
    )
    assert read_csv(written, COLUMNS) == table


texts = st.one_of(st.sampled_from(TOKENS), st.text(st.characters(codec="utf-8"), min_size=1))
cells = st.tuples(
    texts,
    st.none() | st.integers(),
    st.none() | st.fractions(),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
)


@given(st.lists(cells), st.dictionaries(st.sampled_from(["title", "note"]), texts))
def test_csv_comes_back_as_it_was(rows: list[tuple[Cell, ...]], about: dict[str, str]) -> None:
    table = Table(COLUMNS, rows)
    assert read_csv(to_csv(table, about), COLUMNS) == table


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([("a", 1, Fraction(1))], "row 1: expected 4 cells, got 3"),
        ([("a", 1, 0.5, 0.5)], "row 1: rate: expected Fraction, got float"),
        ([("a", True, None, None)], "row 1: n: expected int, got bool"),
    ],
)
def test_a_table_refuses_other_cells(rows: list[tuple[Cell, ...]], complaint: str) -> None:
    with pytest.raises(ValueError, match=f"^{complaint}$"):
        Table(COLUMNS, rows)


def test_another_header_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^expected the columns \['n'\], got \['m'\]$"):
        read_csv(b"# title: x\r\nm\r\n1\r\n", [Column("n", "N", "count")])


# Pages.


def test_each_page_shows_the_words_the_numbers_and_the_citations(
    each_site: BuiltSite,
) -> None:
    looked_at = set(unlike(each_site))
    for figure, files in figures_of(each_site):
        path = f"figures/{figure['id']}/index.html"
        if path not in looked_at:
            continue
        article, page = each_site.article(path), each_site.pages[path]
        text = " ".join(shown(article).split())
        for name in ("assumption", "does_not_show", "data_sha256", "engine_version", "licence"):
            assert " ".join(figure[name].split()) in text, (path, name)
        copied = {
            attribute(each, "data-what"): each.select("pre")[0].get_text()
            for each in article.select("specdec-copy")
        }
        for name, what in (
            ("text", "Text"), ("bibtex", "BibTeX"), ("ris", "RIS"), ("csl", "CSL-JSON"),
        ):  # fmt: skip
            assert as_shown(copied[what]) == as_shown(figure["citation"][name])
        rows = json.loads(files["json"])["rows"]
        table = article.select_one("table")
        assert (table is not None) == (len(rows) <= 120)
        if table is not None:
            assert len(table.select("tbody tr")) == len(rows)
        else:
            assert " ".join(figure["alt"].split()) in text
        for name, file in figure["files"].items():
            if name != "dark":
                assert article.select(f"a[href$='/{file['path']}']"), (path, name)
        assert page.select_one("meta[name=citation_title]") is not None


def as_shown(text: str) -> str:
    return without_isolates(text).replace("\r\n", "\n").strip()


# Of https://schema.org, version 29: the properties that a type may have, as far as used here.
SCHEMA_ORG = {
    "ImageObject": {
        "identifier", "name", "caption", "description", "contentUrl", "encodingFormat", "width",
        "height", "encoding", "creator", "license", "datePublished", "version", "inLanguage",
        "isPartOf", "creditText", "copyrightNotice", "acquireLicensePage",
    },
    "LearningResource": {
        "name", "description", "learningResourceType", "about", "hasPart", "isAccessibleForFree",
        "url", "creator", "license", "datePublished", "version", "inLanguage", "isPartOf",
    },
    "MediaObject": {"contentUrl", "encodingFormat", "contentSize"},
    "Organization": {"name"},
    "WebSite": {"name", "url"},
}  # fmt: skip


def typed(value: object) -> Iterator[dict[str, Any]]:
    """Yield everything in a JSON-LD document that has a type."""
    if isinstance(value, dict):
        if "@type" in value:
            yield value
        for inner in value.values():
            yield from typed(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from typed(inner)


def test_json_ld_is_of_schema_org(each_site: BuiltSite) -> None:
    for figure, _files in figures_of(each_site):
        page = each_site.pages[f"figures/{figure['id']}/index.html"]
        script = page.select_one("head script[type='application/ld+json']")
        assert script is not None
        assert script.string is not None
        document = json.loads(script.string)
        assert document["@context"] == "https://schema.org"
        for each in typed(document):
            assert {name for name in each if name[0] != "@"} <= SCHEMA_ORG[each["@type"]]
        image = document["@graph"][0]
        assert image["contentUrl"] == f"../{figure['id']}.svg"
        assert image["description"] == without_isolates(figure["alt"])
        assert image["license"] == "https://creativecommons.org/licenses/by/4.0/"


def test_an_unpublished_build_invents_no_address(site: BuiltSite) -> None:
    assert manifest_of(site)["address"] is None
    page = site.pages["figures/agreement/index.html"]
    names = {attribute(each, "name") for each in page.select("meta[name^=citation_]")}
    assert not {name for name in names if name.endswith("_url")}
    assert (
        "This build is unpublished: it has no address to cite."
        in (site.texts["figures/agreement/index.html"])
    )
    for figure in manifest_of(site)["figures"]:
        assert "unpublished build" in figure["citation"]["text"]
        assert "url" not in figure["citation"]["bibtex"].replace("creativecommons", "").split()


def test_a_published_build_cites_its_address_everywhere(directory_site: BuiltSite) -> None:
    assert manifest_of(directory_site)["address"] == SUB_PATH
    permalink = f"{SUB_PATH}figures/agreement/"
    page = directory_site.pages["figures/agreement/index.html"]
    tags = {
        attribute(each, "name"): attribute(each, "content")
        for each in page.select("meta[name^=citation_]")
    }
    assert tags["citation_public_url"] == permalink
    assert page.select(f"a[href='{permalink}']")
    figure = next(
        each for each in manifest_of(directory_site)["figures"] if each["id"] == "agreement"
    )
    assert all(permalink in citation for citation in figure["citation"].values())
    read = read_imprint((directory_site.folder / "figures/agreement.svg").read_bytes())
    assert read is not None
    assert read.imprint.source == permalink
    assert "unpublished" not in unescape(str(page))


def test_each_picture_in_the_prose_leads_to_its_page(each_site: BuiltSite) -> None:
    seen = 0
    for path in each_site.pages:
        if path.startswith("figures/"):
            continue
        for figure in each_site.article(path).select("figure.figure"):
            slug = Path(attribute(figure.select("img")[0], "src")).stem
            links = [attribute(link, "href") for link in figure.select("figcaption a")]
            assert any(link.endswith(f"figures/{slug}/index.html") for link in links), path
            seen += 1
    assert seen > 30


# The command.


@pytest.fixture(scope="module")
def elsewhere(site: BuiltSite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return another copy of the project, in a folder of any name, that has drawn nothing yet."""
    project = copy_project(tmp_path_factory.mktemp("another place") / "é\n")
    for kept in ("claims", "runs", "wrong"):  # slow to compute, and not what is tried here
        if (site.project / ".cache" / kept).exists():
            shutil.copytree(site.project / ".cache" / kept, project / ".cache" / kept)
    return project


def test_figures_alone_are_those_of_the_site_byte_for_byte(
    site: BuiltSite, elsewhere: Path, tmp_path: Path
) -> None:
    slugs = ("outcome-tree-nimbus-mini", "agreement")
    only = [part for slug in slugs for part in ("--only", slug)]
    done = run(
        elsewhere, "build_scripts", "figures", *only, "--out", tmp_path / "out",
        **ELSEWHERE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith(f"wrote two figures to {tmp_path / 'out'}\n")
    assert sorted(re.findall(r"drawing (\S+)\n", done.stdout)) == sorted(slugs)
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert len(written) == 14, "and no list of all"
    for name, content in written.items():
        assert content == (site.folder / "figures" / name).read_bytes(), name


def test_an_unknown_slug_is_refused_and_nothing_written(elsewhere: Path, tmp_path: Path) -> None:
    done = run(elsewhere, "build_scripts", "figures", "--only", "nope", "--out", tmp_path / "out")
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last.startswith("no figure is called 'nope'; there are positions-aligned, ")
    assert not (tmp_path / "out").exists()
