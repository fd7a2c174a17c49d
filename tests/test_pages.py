"""Pages from templates: what is printed is inert, and what is wrong is named with its line."""

from __future__ import annotations

import html
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup
from mkdocs.utils import meta

from build_scripts import wording
from build_scripts.errors import SiteError
from build_scripts.figures.files import FORMATS, Drawn
from build_scripts.figures.imprint import imprint
from build_scripts.figures.registry import all_figures
from build_scripts.metadata import citation_tags
from build_scripts.pages import DATA_SCHEMA, authored_pages, site_tree, with_profile_pages
from build_scripts.results import Results, compute
from build_scripts.wording import isolated
from build_scripts.work import read_work
from specdec.claims import RandomPairs
from tests.faults import GOOD
from tests.hostile import ONLY_AT_THE_START, grouped
from tests.plain import about
from tests.site_checks import ROOT


def computed(folder: Path, *changes: dict[str, str]) -> Results:
    """Return results of one small file, or of its first profile with other texts, in turn."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    scenario: dict[str, Any] = json.loads(GOOD)
    if changes:
        first = scenario["profiles"][0]
        del first["short_title"]
        scenario["profiles"] = [
            {**first, "id": f"near-{n}", **change} for n, change in enumerate(changes)
        ]
    (folder / "data/small.v1.json").write_text(json.dumps(scenario), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("build_scripts.results.RANDOM_PAIRS", 20)
        patch.setattr("build_scripts.sampled.CHECKPOINTS", (10, 100, 1000))
        return compute(folder)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return computed(tmp_path_factory.mktemp("project"))


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for pages, below the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "data").mkdir()
    shutil.copy(ROOT / DATA_SCHEMA, tmp_path / DATA_SCHEMA)
    return tmp_path / "docs"


def rendered(docs: Path, results: Results, text: str) -> str:
    (docs / "page.md").write_text(text, encoding="utf-8")
    return site_tree(docs, results, {}, WORK, keep=only_authored)["page.md"].decode()


def only_authored(name: str, make: Callable[[], Any]) -> Any:
    """Make the pages written by hand alone; the others take a second."""
    return make() if name.startswith("docs/") else {}


WORK = read_work(ROOT, "")


def pictures(results: Results) -> dict[str, Drawn]:
    """Return the figures without drawing them."""
    files = dict.fromkeys(FORMATS, b'<svg width="3pt" height="6pt">')
    return {
        figure.slug: Drawn(figure, imprint(figure, WORK), files) for figure in all_figures(results)
    }


# What there is.


def test_the_tree_has_pages_profiles_and_data(docs: Path, results: Results) -> None:
    (docs / "decisions").mkdir()
    (docs / "decisions/0001.md").write_text("[[ nothere ]]")
    (docs / "inner").mkdir()
    (docs / "inner/page.md").write_text("# A page\n")
    tree = site_tree(docs, results, pictures(results), WORK)
    figures = [each.slug for each in all_figures(results)]
    assert list(tree) == [
        "inner/page.md",
        *(f"figures/{slug}{ending}" for slug in figures for ending in FORMATS.values()),
        "figures/manifest.json",
        *(f"figures/{slug}/index.md" for slug in figures),
        "data/random/profiles.json",
        "data/profiles.v1.schema.json",
        "data/small.v1.json",
        "profiles/near.md",
        "profiles/near/embed/index.html",
        "frames/near.json",
        "profiles/far.md",
        "profiles/far/embed/index.html",
        "frames/far.json",
    ]
    assert tree["data/small.v1.json"] == json.dumps(json.loads(GOOD)).encode()
    assert authored_pages(docs) == ["inner/page.md"]


def test_every_page_that_cannot_be_rendered_is_told(docs: Path, results: Results) -> None:
    (docs / "a.md").write_text("# A\n\n[[ nothere ]]\n", encoding="utf-8")
    (docs / "b.md").write_text("[% if %]\n", encoding="utf-8")
    with pytest.raises(SiteError) as refused:
        site_tree(docs, results, pictures(results), WORK)
    first, second = str(refused.value).splitlines()
    assert first == "docs/a.md:3: 'nothere' is undefined"
    assert second.startswith("docs/b.md:1: ")


def test_rendering_writes_nothing(docs: Path, results: Results) -> None:
    (docs / "page.md").write_text("[[ results.engine_version ]]\n")
    site_tree(docs, results, pictures(results), WORK)
    assert [path.name for path in docs.rglob("*")] == ["page.md"]
    assert (docs / "page.md").read_text() == "[[ results.engine_version ]]\n"


def test_an_edit_of_our_code_is_seen_where_a_filter_has_a_constant(
    docs: Path, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jinja calls the filter when it compiles the page, and what it compiled is kept."""
    page = "[[ 'abc' | capitalised ]]"
    assert rendered(docs, results, page) == "Abc"
    monkeypatch.setattr(wording, "capitalised", edited := lambda _text: "edited")
    edited.__name__ = "capitalised"
    monkeypatch.setattr("build_scripts.pages.code_digest", lambda folder: folder.name.encode())
    assert rendered(docs, results, page) == "edited"


def test_the_nav_lists_profiles_after_their_overview(results: Results) -> None:
    nav: list[object] = [
        "index.md",
        {"Rounds": ["profiles/index.md"]},
        {"Math": "math.md"},
        {"More": ["a.md"]},
    ]
    assert with_profile_pages(nav, results) == [
        "index.md",
        {
            "Rounds": [
                "profiles/index.md",
                {"Near": "profiles/near.md"},
                {"A far draft": "profiles/far.md"},
            ]
        },
        {"Math": "math.md"},
        {"More": ["a.md"]},
    ]


def test_titles_in_the_nav_are_escaped_once(tmp_path: Path) -> None:
    nav = with_profile_pages(
        [{"Rounds": ["profiles/index.md"]}], computed(tmp_path, {"short_title": "R&D <b>"})
    )
    ((title, _),) = nav[0]["Rounds"][1].items()  # type: ignore[index]
    assert title == "R&amp;D &lt;b&gt;"
    assert isinstance(title, Markup)  # so that nobody escapes it again


# What is printed.


@pytest.mark.parametrize(
    "text",
    [
        r"$\frac{{a}}{b}$ and {#anchor}, {{ 7*7 }}, {% raw %}, {# no #}",
        "[link](x.md) [^1] [1]: [a][b] a[0] [x]",
        "100% [50%] #1",
        "trailing newline\n\n",
    ],
)
def test_text_without_our_delimiters_is_unchanged(docs: Path, results: Results, text: str) -> None:
    assert rendered(docs, results, text) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param(
            "[% for x in ['a|b *it* <b>'] %][[ x ]][% endfor %]",
            "a&#124;b &#42;it&#42; &#60;b&#62;",
            id="text",
        ),
        pytest.param("[[ 5 ]] [[ -1 ]]", "5 -1", id="whole numbers"),
        pytest.param("[[ '*'|token ]]", '<bdi class="token">&#42;</bdi>', id="a token"),
        pytest.param("[[ ['*', 'b']|listing ]]", "&#42; and b", id="a list"),
        pytest.param("[% for x in ['>'] %][[ '<' ~ x ]][% endfor %]", "&#60;&#62;", id="joined"),
        pytest.param("[# nothing #]a", "a", id="a comment"),
        pytest.param(
            "[[ results.profiles[0].report.expected_tokens|about ]]",
            '<span class="number">{expected}</span>',
            id="a result",
        ),
    ],
)
def test_what_is_printed(docs: Path, results: Results, page: str, text: str) -> None:
    expected = about(results.profiles[0].report.expected_tokens)
    assert rendered(docs, results, page) == text.replace("{expected}", expected)


# What is refused, with its place.


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("[[ nothere ]]", "'nothere' is undefined", id="an unknown name"),
        pytest.param(
            "[[ results.nothere ]]",
            "'build_scripts.results.Results object' has no attribute 'nothere'",
            id="an unknown attribute",
        ),
        pytest.param(
            "[[ results.profiles[9].k ]]",
            "tuple object has no element 9",
            id="a profile that is not there",
        ),
        pytest.param("[[ 1 + ]]", "unexpected 'end of print statement'", id="bad syntax"),
        pytest.param(
            "[% if 1 %]",
            "Unexpected end of template. Jinja was looking for the following tags: 'elif' or "
            "'else' or 'endif'. The innermost block that needs to be closed is 'if'.",
            id="an unfinished statement",
        ),
        pytest.param("[[ 1|roundish ]]", "No filter named 'roundish'.", id="unknown wording"),
        pytest.param(
            r"[[ '\\foo'|tex ]]",
            r'$\foo$: Unknown command "\foo", at character 1',
            id="an unknown TeX command",
        ),
        pytest.param(
            "[[ results.profiles[0].report.speedup ]]",
            "expected text or a whole number, got Fraction: use a filter",
            id="a fraction as it is",
        ),
        pytest.param(
            "[% for x in [0.5] %][[ x ]][% endfor %]",
            "expected text or a whole number, got float: use a filter",
            id="a float",
        ),
        pytest.param(
            "[% for x in [none] %][[ x ]][% endfor %]",
            "expected text or a whole number, got NoneType: use a filter",
            id="None",
        ),
        pytest.param(
            "[% for x in [true] %][[ x ]][% endfor %]",
            "expected text or a whole number, got bool: use a filter",
            id="a truth",
        ),
        pytest.param(
            "[[ results.profiles[0].report.speedup|over(7) ]]",
            "expected a multiple of 1/7, got {speedup}",
            id="an input that is none",
        ),
        pytest.param(
            "[[ none|exact ]]",
            "argument should be a string or a Rational instance",
            id="a result that is none",
        ),
        pytest.param(
            '[[ source("specdec.rounds", "gone") ]]',
            "expected gone in specdec.rounds: module 'specdec.rounds' has no attribute 'gone'",
            id="code that is gone",
        ),
        pytest.param(
            '[[ source("specdec.gone", "x") ]]',
            "expected x in specdec.gone: No module named 'specdec.gone'",
            id="a module that is gone",
        ),
        pytest.param(
            '[[ source_line("specdec.rounds", "speculative_round", "if draw <= acceptance:") ]]',
            "expected 'if draw <= acceptance:' in the source of "
            "specdec.rounds.speculative_round, not there",
            id="a line that is gone",
        ),
        pytest.param('[% import "_gone.html" as gone %]', "no template _gone.html", id="a file"),
    ],
)
def test_what_is_wrong_is_named_with_page_and_line(
    docs: Path, results: Results, line: str, message: str
) -> None:
    wanted = (
        message.format(speedup=results.profiles[0].report.speedup) if "{" in message else message
    )
    with pytest.raises(SiteError) as refused:
        rendered(docs, results, f"# A page\n\n{line}\n\nThe end.\n")
    text = str(refused.value)
    assert "\n" not in text
    place = "docs/page.md:4" if "Unexpected end" in message else "docs/page.md:3"
    assert text.startswith(f"{place}: {wanted}")


# Figures that have moved.


def moved(folder: Path, monkeypatch: pytest.MonkeyPatch, slugs: dict[str, str]) -> None:
    record = folder / "published.json"
    record.write_text(json.dumps({"slugs": [], "moved": slugs}))
    monkeypatch.setattr("build_scripts.figure_pages.PUBLISHED", record)


def test_a_figure_that_has_moved_is_found_at_its_old_address(
    docs: Path, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A slug that a figure has again does not lead elsewhere.
    moved(docs.parent, monkeypatch, {"old-name": "positions-near", "agreement": "residual-far"})
    tree = site_tree(docs, results, pictures(results), WORK)
    for ending in FORMATS.values():
        assert tree[f"figures/old-name{ending}"] == tree[f"figures/positions-near{ending}"]
    text, front = meta.get_data(tree["figures/old-name/index.md"].decode())
    assert front["refresh"] == "../positions-near/index.html"
    assert "](../positions-near/index.md)" in text
    assert "json_ld" in meta.get_data(tree["figures/agreement/index.md"].decode())[1]


def test_a_figure_cannot_have_moved_to_nowhere(
    docs: Path, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(docs.parent, monkeypatch, {"old-name": "nowhere"})
    with pytest.raises(SiteError) as refused:
        site_tree(docs, results, pictures(results), WORK)
    assert str(refused.value) == (
        "published.json: moved to figures that are not there: old-name → nowhere"
    )


@pytest.mark.parametrize(
    "address",
    [
        "example.org/x/",
        " ",
        "https://x.org/a b/",
        "https://x.org/}",
        "https://x.org/?q=1",
        'https://x.org/"><script>',
        "https://x.org/`",
        "https://x.org/a|b",
        "https://me@x.org/",
        "https://x.org/../a/",
        "https://x.org/\x1b",
        "https://x.org/%zz",
    ],
)
def test_an_address_that_cannot_be_cited_is_refused(address: str) -> None:
    with pytest.raises(SiteError) as refused:
        read_work(ROOT, address)
    assert str(refused.value) == (
        "SITE_URL: expected an address such as https://example.org/path/, of letters, digits "
        f"and - . _ ~ + %, got {address!r}"
    )


def test_reference_managers_find_the_page_and_the_pdf(results: Results) -> None:
    published = read_work(ROOT, "https://x.org/a")
    tags = citation_tags(pictures(results)["agreement"], published)
    assert tags["citation_public_url"] == "https://x.org/a/figures/agreement/"
    assert tags["citation_pdf_url"] == "https://x.org/a/figures/agreement.pdf"
    assert not [
        name for name in citation_tags(pictures(results)["agreement"], WORK) if "url" in name
    ]


def test_an_address_ends_in_a_slash() -> None:
    assert read_work(ROOT, "https://x.org/a").at("b") == "https://x.org/a/b"
    assert read_work(ROOT, "").at("b") == ""


# Front matter.


def test_front_matter_survives_every_text(docs: Path) -> None:
    labels = [*ONLY_AT_THE_START, *grouped(950)]
    results = computed(docs.parent, *({"title": each} for each in labels))
    tree = site_tree(docs, results, pictures(results), WORK)
    for n, label in enumerate(labels):
        _, front = meta.get_data(tree[f"profiles/near-{n}.md"].decode())
        assert front.keys() == {"title", "description"}
        assert html.unescape(front["title"]) == isolated(label)
        assert html.unescape(front["description"]) == isolated(
            "One round of speculative decoding, frame by frame, in exact fractions: " + label
        )
        for slug in (f"positions-near-{n}", f"timeline-near-{n}"):
            _, front_of_figure = meta.get_data(tree[f"figures/{slug}/index.md"].decode())
            graph = json.loads(front_of_figure["json_ld"])["@graph"]
            assert graph[0]["name"].endswith(f": {label}")
            assert "<" not in front_of_figure["json_ld"]
            tags = front_of_figure["citation_tags"]
            assert f": {label}" in html.unescape(tags["citation_title"])
            assert '"' not in tags["citation_title"]
        for value in front.values():  # the theme prints it as it is, into an attribute too
            assert not set(value) & set("<>\"'")


def test_front_matter_that_would_break_the_themes_tags_is_refused(
    docs: Path, results: Results
) -> None:
    (docs / "other.md").write_text("---\ndescription: 0 < p\n---\n# One\n")
    page = """---
hide: [toc]
title: R&D’s “right” [[ "<computed>" ]] one
description: A 'right' and a "wrong" one
---
# Two
"""
    with pytest.raises(SiteError) as refused:
        rendered(docs, results, page)
    assert str(refused.value).splitlines() == [
        """docs/other.md:2: description: expected text without < > or ", got '0 < p'""",
        'docs/page.md:4: description: expected text without < > or ", got '
        """'A \\'right\\' and a "wrong" one'""",
    ]
    (docs / "other.md").unlink()
    text = rendered(docs, results, page.replace('"wrong"', "good"))
    assert "title: R&D’s “right” &lt;computed&gt; one\n" in text


# Data files.


def test_no_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/profiles.v1.schema.json").write_text("{}")
    with pytest.raises(SiteError) as refused:
        compute(tmp_path)
    assert str(refused.value) == (
        f"{tmp_path / 'data'}: expected at least one data file (*.json), found none"
    )


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    computed(tmp_path)
    (tmp_path / "data/small.v2.json").write_text(GOOD)
    with pytest.raises(SiteError) as refused:
        compute(tmp_path)
    assert str(refused.value) == (
        f"{tmp_path / 'data/small.v2.json'}: expected a name that differs before its first dot "
        "from small.v1.json"
    )


def test_a_claim_that_does_not_hold_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed(tmp_path)
    monkeypatch.setattr(
        "build_scripts.results.check_random_pairs",
        lambda pairs, seed: RandomPairs(seed, pairs, 1, 1, hold=False),
    )
    with pytest.raises(SiteError) as refused:
        compute(tmp_path)
    assert str(refused.value).startswith("a claim does not hold on random pairs: RandomPairs(")
