"""The built site: every page there, every link good, every number right, nothing active in it."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import re
from copy import copy
from fractions import Fraction
from math import prod
from operator import attrgetter
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from bs4 import BeautifulSoup, Tag

from specdec.__main__ import main as specdec_command
from tests.hostile import TOKENS, unlike
from tests.html_checks import find_leftovers
from tests.plain import WORDS, Plain, about, counted, divisor, of_a_step, rounded, scenarios
from tests.site_checks import (
    ROOT,
    SUB_PATH,
    BuiltSite,
    attribute,
    broken_links,
    copy_project,
    foreign_requests,
    one_line,
    shown,
    structure_faults,
    tables,
    without_isolates,
)

AUTHORED = {
    "index.html",
    "nimbus.html",
    "profiles/index.html",
    "compare.html",
    "math.html",
    "code.html",
    "misconceptions.html",
    "wrong.html",
    "convergence.html",
    "cost.html",
    "limits.html",
    "exercises/index.html",
    "exercises/sheet.html",
    "exercises/answers.html",
    "figures/index.html",
    "edit.html",
    "publish.html",
    "cite/index.html",
    "glossary.html",
    "sources.html",
    "coverage.html",
    "benchmark.html",
    "changelog.html",
}
SHEETS = {"exercises/sheet.html", "exercises/answers.html"}
"""The exercises again, to print: not for a search."""


def profiles_of(site: BuiltSite) -> dict[str, list[Plain]]:
    """Return the profiles of each file, their texts as parsed pages show them."""
    return scenarios(site.project / "data", without_isolates)


def page_of(profile: Plain) -> str:
    return f"profiles/{profile.id}.html"


def embed_of(profile: Plain) -> str:
    return f"profiles/{profile.id}/embed/index.html"


def themed(site: BuiltSite) -> dict[str, BeautifulSoup]:
    """Return the pages that have the theme around them: all but those to embed."""
    return {path: page for path, page in site.pages.items() if "/embed/" not in path}


def all_profiles(site: BuiltSite) -> list[Plain]:
    return [each for profiles in profiles_of(site).values() for each in profiles]


def figures_of(site: BuiltSite) -> set[str]:
    """Return the paths of the pages that figures have."""
    listed = json.loads((site.folder / "figures/manifest.json").read_bytes())["figures"]
    return {f"figures/{figure['page']}index.html" for figure in listed}


# What there is.


def test_the_build_ends_with_where_the_site_is(site: BuiltSite) -> None:
    last = site.output.splitlines()[-1]
    assert re.fullmatch(r"built in \d+\.\d s: open (.*)", last)
    assert last.endswith(f"open {site.project / 'site' / 'index.html'}")
    assert (site.project / "site" / "index.html").is_file()


def test_the_build_shows_progress_and_warns_of_nothing(site: BuiltSite) -> None:
    lines = [line.removeprefix("INFO    -  ") for line in site.output.splitlines()]
    for line in (
        "computing profiles.v1.json: aligned, divergent",
        "computing nimbus.v1.json: nimbus-mini",
        "checking 5,000 random pairs of distributions",
        "rendering pages",
    ):
        assert line in lines
    assert "WARNING" not in site.output


def test_the_shipped_profiles_are_on_the_site(site: BuiltSite) -> None:
    assert [each.id for each in all_profiles(site)] == ["aligned", "divergent", "nimbus-mini"]


def test_a_project_without_git_is_copied_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a tarball is: what git would list, and nothing that was built."""
    with_git = copy_project(tmp_path / "with")
    monkeypatch.setattr("tests.site_checks._files_of_git", list)
    without = copy_project(tmp_path / "without")
    ways = [
        {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        for folder in (with_git, without)
    ]
    assert {path for path in ways[0] if not path.startswith(".")} <= ways[1]
    assert not [path for path in ways[1] if path.startswith(("site/", ".git/", ".cache/"))]


def test_every_page_and_no_other_is_there(each_site: BuiltSite) -> None:
    profiles = all_profiles(each_site)
    expected = {*AUTHORED, *map(page_of, profiles), *map(embed_of, profiles), "404.html"}
    assert set(each_site.pages) == expected | figures_of(each_site)


def test_every_page_of_the_nav_is_authored_or_generated(each_site: BuiltSite) -> None:
    home = each_site.pages["index.html"]
    linked = {
        attribute(link, "href").partition("#")[0]
        for link in home.select(".md-nav--primary a.md-nav__link[href]")
        if not attribute(link, "href").startswith("#")
    }
    alone = {embed_of(profile) for profile in all_profiles(each_site)}
    assert linked == set(each_site.pages) - alone - figures_of(each_site) - {"404.html"}
    gallery = each_site.article("figures/index.html")
    cards = {attribute(link, "href") for link in gallery.select("ul.gallery a")}
    assert {f"figures/{card}" for card in cards} == figures_of(each_site)


def test_the_data_files_are_on_the_site_byte_for_byte(each_site: BuiltSite) -> None:
    for path in (each_site.project / "data").glob("*.json"):
        if ".schema." not in path.name:
            assert (each_site.folder / "data" / path.name).read_bytes() == path.read_bytes()


def test_what_is_for_developers_is_not_on_the_site(site: BuiltSite) -> None:
    strange = [path for path in site.files if path.endswith((".md", ".py", ".in", ".yml"))]
    assert strange == []
    assert not any(path.startswith("decisions/") for path in site.files)


# Links and requests.


def test_every_link_leads_somewhere(each_site: BuiltSite) -> None:
    assert broken_links(each_site) == []


def test_every_link_leads_somewhere_with_directory_urls(directory_site: BuiltSite) -> None:
    assert broken_links(directory_site, SUB_PATH) == []
    assert "profiles/aligned/index.html" in directory_site.pages
    canonical = directory_site.pages["profiles/aligned/index.html"].select_one("[rel=canonical]")
    assert canonical is not None
    assert attribute(canonical, "href") == f"{SUB_PATH}profiles/aligned/"


def test_directory_urls_change_no_frame(site: BuiltSite, directory_site: BuiltSite) -> None:
    for profile in all_profiles(site):
        ways = [
            built.article(path).select("ol.frames")
            for built, path in (
                (site, page_of(profile)),
                (directory_site, f"profiles/{profile.id}/index.html"),
            )
        ]
        assert ways[0] == ways[1]


def test_nothing_is_loaded_from_another_host(each_site: BuiltSite) -> None:
    assert foreign_requests(each_site) == []


def test_nothing_is_loaded_from_another_host_under_a_sub_path(directory_site: BuiltSite) -> None:
    assert foreign_requests(directory_site, SUB_PATH) == []


def test_our_own_style_and_script_name_no_host(site: BuiltSite) -> None:
    own = [path for path in site.files if path.startswith(("stylesheets/", "javascripts/"))]
    assert "stylesheets/site.css" in own
    for path in own:
        if path.endswith((".css", ".js")):
            text = (site.folder / path).read_text(encoding="utf-8")
            assert "://" not in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL), path


def test_search_finds_pages_and_sections_that_exist(site: BuiltSite) -> None:
    index = json.loads((site.folder / "search/search_index.json").read_text(encoding="utf-8"))
    found = set()
    for entry in index["docs"]:
        path, _, fragment = entry["location"].partition("#")
        assert path in site.pages, path
        assert not fragment or site.pages[path].find(id=fragment), entry["location"]
        assert find_leftovers(entry["title"]) == []
        found.add(path)
    assert found == set(themed(site)) - figures_of(site) - SHEETS - {"404.html"}


# Pages as documents.


def test_every_page_is_sound(each_site: BuiltSite) -> None:
    faults = {path: structure_faults(each_site.pages[path]) for path in unlike(each_site)}
    assert len(faults) > 50
    assert {path: found for path, found in faults.items() if found} == {}


def test_every_page_says_what_it_is_about(site: BuiltSite) -> None:
    descriptions = []
    for path, page in themed(site).items():
        meta = page.find("meta", attrs={"name": "description"})
        assert isinstance(meta, Tag), path
        descriptions += [attribute(meta, "content")] * (path != "404.html")
    assert len(set(descriptions)) == len(descriptions) == len(themed(site)) - 1


def test_no_template_and_no_tex_is_left(site: BuiltSite) -> None:
    for path in site.pages:
        html = (site.folder / path).read_text(encoding="utf-8")
        assert find_leftovers(html) == [], path
        # BibTeX has doubled braces, too.
        own = re.sub(r"<pre class=\"citation\">[^<]*</pre>", "", str(site.article(path)))
        own = re.sub(r"\[\[[\d, \[\]]+\]\]", "", own)  # rows of a data file
        assert re.findall(r"\[\[|\]\]|\[%|%\]|\[#|#\]|\{\{|\}\}", own) == []


def test_no_python_shows(each_site: BuiltSite) -> None:
    for path in unlike(each_site):
        text = shown(each_site.article(path), code=False)
        found = re.findall(r"\bNone\b(?! of the )|Fraction\(|Markup\(|\bUndefined\b|<bound ", text)
        assert found == [], path


def test_maths_is_mathml(site: BuiltSite) -> None:
    for path in ("math.html", "cost.html", "code.html"):
        assert site.article(path).find("math"), path
    assert len(site.article("math.html").select(".tex-display > math")) >= 6


# Frames.


def test_frames_are_those_of_the_engine_in_order(each_site: BuiltSite) -> None:
    for file, profiles in profiles_of(each_site).items():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert (
                specdec_command(["report", str(each_site.project / "data" / file), "--json"]) == 0
            )
        reports = {each["id"]: each for each in json.loads(printed.getvalue())}
        for profile in profiles:
            frames = each_site.article(page_of(profile)).select("ol.frames > li")
            kinds = [attribute(frame, "data-frame") for frame in frames]
            assert kinds == reports[profile.id]["frames"] == profile.kinds
            assert [attribute(frame, "id") for frame in frames] == [
                f"{profile.id}-{n}" for n in range(1, len(frames) + 1)
            ]
            assert reports[profile.id]["committed"] == profile.committed


def test_frames_read_without_a_script(each_site: BuiltSite) -> None:
    for profile in all_profiles(each_site):
        group = each_site.article(page_of(profile)).select_one("specdec-player[role=group]")
        assert group is not None
        assert attribute(group, "aria-label") == profile.title
        frames = group.select("ol.frames > li")
        for n, frame in enumerate(frames, 1):
            head, caption = frame.select_one(".frame-head"), frame.select_one(".frame-caption")
            assert head is not None
            assert caption is not None
            assert shown(head).startswith(f"Frame {n} of {len(frames)} ")
            assert len(shown(caption)) > 20
            assert not frame.has_attr("hidden")
        assert [
            shown(rule)
            for frame in frames
            for rule in frame.select(".frame-rule")
            if shown(rule).startswith("Rule ")
        ] == profile.rules
        committed = [token.get_text() for token in frames[-1].select(".chip-committed .token")]
        assert committed == profile.committed
        verdicts = [shown(verdict) for verdict in group.select(".frame-head .verdict")]
        assert verdicts == ["✓ accepted"] * profile.accepted + ["✗ rejected"] * (
            profile.accepted < profile.k
        )


def test_the_nimbus_thread_has_its_five_frames(site: BuiltSite) -> None:
    frames = site.article("nimbus.html").select("ol.frames > li")
    assert [(attribute(each, "id"), attribute(each, "data-frame")) for each in frames] == [
        ("nimbus-mini-1", "propose"),
        ("nimbus-mini-2", "verify"),
        ("nimbus-mini-3", "verify"),
        ("nimbus-mini-4", "verify"),
        ("nimbus-mini-5", "done"),
    ]
    assert shown(site.article("nimbus.html").select("h2")[0]) == "Five steps"
    lucky = frames[1].select_one(".frame-caption")
    assert lucky is not None
    assert shown(lucky) == (
        "The target gives “file” only 5/8, less than the draft’s 6/8, so it is kept with "
        "probability 5/6. The draw, 1/2, is below that: kept, and by luck, since a draw of 5/6 "
        "or more would have rejected it."
    )


def test_only_the_lucky_frame_is_said_to_be_lucky(site: BuiltSite) -> None:
    lucky = [
        attribute(frame, "id")
        for profile in all_profiles(site)
        for frame in site.article(page_of(profile)).select("ol.frames > li")
        if "luck" in shown(frame)
    ]
    assert lucky == ["nimbus-mini-2"]


# Numbers.


def test_position_tables(each_site: BuiltSite) -> None:
    for profile in all_profiles(each_site):
        found = tables(each_site.article(page_of(profile)))
        for position, rate in enumerate(profile.rates):
            table = found[f"Position {position + 1}: acceptance rate {rate}"]
            assert table.columns == (
                *("Token", "Target", "Draft", "Ratio", "Minimum", "Leftover", "Residual"),
            )
            assert list(table.rows) == profile.position_rows(position), page_of(profile)
            assert table.foot == profile.position_foot(position)


def test_the_proposed_token_is_marked(each_site: BuiltSite) -> None:
    for profile in all_profiles(each_site):
        rows = each_site.article(page_of(profile)).select("tr.proposed")
        marked = [row.select_one("bdi.token") for row in rows]
        assert [token.get_text() if token else "" for token in marked] == profile.proposals
        assert all(row.select_one(".note") for row in rows)


def test_rate_and_length_tables(each_site: BuiltSite) -> None:
    for profile in all_profiles(each_site):
        found = tables(each_site.article(page_of(profile)))
        assert list(found["Acceptance rate per position"].rows) == profile.rate_rows
        law = found["Chance that a round commits N tokens"]
        assert list(law.rows) == profile.law_rows
        assert law.foot == ("Sum", "1", "100%", "")
        widths = [
            attribute(bar, "width")
            for bar in each_site.article(page_of(profile)).select(".bar rect")
        ]
        assert widths == [rounded(100 * chance) for chance in profile.law]


def test_sentences_with_numbers(each_site: BuiltSite) -> None:
    for profile in all_profiles(each_site):
        text = each_site.texts[page_of(profile)]
        draft_step, verify_pass = profile.price
        for sentence in (
            " + ".join(map(str, profile.survival)) + f" = {about(profile.expected)}.",
            f"the sum of n·P(N = n) is {about(profile.expected)}.",
            f"The variance of N is {about(profile.variance)}.",
            f"A round then costs {profile.k} × {draft_step} + {verify_pass} = "
            f"{about(profile.cost)} target step{'s' * (profile.cost != 1)} and yields "
            f"{about(profile.expected)} token{'s' * (profile.expected != 1)}",
            f"{profile.expected} ÷ {divisor(profile.cost)} = {about(profile.speedup)}×",
            f"{about(profile.passes)} pass{'es' * (profile.passes != 1)} of the target on average, "
            f"instead of {profile.k}.",
        ):
            assert sentence in text, page_of(profile)


def test_brute_force_is_a_third_route_where_it_can_be(each_site: BuiltSite) -> None:
    for profile in all_profiles(each_site):
        text = each_site.texts[page_of(profile)]
        tuples = len(profile.vocabulary) ** profile.k
        if tuples <= 100_000:
            count = f"{tuples:,}" if tuples > 12 else WORDS[tuples]
            which = {1: "The one tuple", 2: "Both tuples"}.get(tuples, f"All {count} tuples")
            start = f"{which} of proposals"
            possible = prod(sum(n > 0 for n in row) for row in profile.profile["draft"])
            if possible < tuples:
                spelled = f"{possible:,}" if possible > 12 else WORDS[possible]
                start += f", of which the draft can make {spelled}"
            end = f", with every way the checks can end: {about(profile.expected)}."
            assert start + end in text
            assert "The three are compared as fractions, and are equal." in text
        else:
            assert (
                "Left out here: there are too many tuples of proposals to go through, "
                f"{len(profile.vocabulary)} to the power of {profile.k}. Two routes were used."
                in text
            )
            assert "The two are compared as fractions, and are equal." in text


def test_whether_a_draft_pays(each_site: BuiltSite) -> None:
    seen = set()
    for profile in all_profiles(each_site):
        text = each_site.texts[page_of(profile)]
        price, unit = about(profile.break_even), of_a_step(profile.break_even)
        if profile.speedup > 1:
            case = f"The gain is gone once a draft step costs {price} {unit}."
        elif profile.break_even > 0:
            case = (
                f"This draft does not pay: it would, if a draft step cost less than {price} {unit}."
            )
        else:
            case = "This draft does not pay: it would not even if drafting were free."
        assert case in text, page_of(profile)
        assert text.count("This draft does not pay") == (profile.speedup <= 1)
        seen.add(case.split(price)[0])
    assert seen


def test_headline_tables(each_site: BuiltSite) -> None:
    by_file = profiles_of(each_site)
    main, everyone = next(iter(by_file.values())), all_profiles(each_site)
    for path, profiles in (
        ("index.html", main),
        ("cost.html", everyone),
        ("nimbus.html", by_file["nimbus.v1.json"]),
    ):
        table = tables(each_site.article(path))["Tokens, cost and speed-up of a round"]
        assert list(table.rows) == [profile.headline_row for profile in profiles], path
    rows = [
        tuple(shown(cell) for cell in row.select("th, td"))
        for row in each_site.article("profiles/index.html").select("table.results tbody tr")
    ]
    assert rows == [profile.headline_row for profile in everyone]


def test_cost_page(each_site: BuiltSite) -> None:
    everyone = all_profiles(each_site)
    main = next(iter(profiles_of(each_site).values()))
    found = tables(each_site.article("cost.html"))
    tokens = counted(main[0].k, "token")
    for profile in main:
        table = found[one_line(f"{profile.title}: the cost of {tokens}")]
        assert list(table.rows) == profile.cost_rows
    assert list(found["Break-even price of a draft step"].rows) == [
        (
            one_line(each.title),
            about(each.break_even) if each.break_even > 0 else "never",
            about(each.price[0]),
        )
        for each in everyone
    ]
    step, verify = main[0].price
    equal = found["Speed-up with equal rates, by acceptance rate and proposals per round"]
    assert list(equal.rows) == [
        (
            str(rate),
            *(
                f"{rounded(sum(rate**j for j in range(k + 1)) / (k * step + verify))}×"
                for k in (1, 2, 4, 8, 16)
            ),
        )
        for rate in map(Fraction, ("1/10", "1/2", "3/4", "7/8"))
    ]
    assert list(found["Target positions scored per committed token"].rows) == [
        ("One at a time", "1"),
        *((one_line(each.title), about((each.k + 1) / each.expected)) for each in everyone),
    ]


def test_the_identity_is_worked_with_shipped_numbers(site: BuiltSite) -> None:
    divergent = all_profiles(site)[1]
    table = tables(site.article("math.html"))["The identity at position 3 of “A divergent draft”"]
    assert [(row[1], row[5].rpartition(" = ")[2]) for row in table.rows] == [
        (f"{p * 8}/8" if p else "0", str(p)) for p, _ in divergent.pair(2)
    ]
    for row in table.rows:
        assert row[5] == f"{row[3]} + {row[4]} = {Fraction(row[1])}"


def test_every_fraction_on_a_profile_page_is_one_of_its_numbers(site: BuiltSite) -> None:
    """A number left over, or typed, would be none of these."""
    for profile in all_profiles(site):
        eighths = {f"{n}/8" for n in range(9)}
        known = {
            *(value for n in range(profile.k) for row in profile.position_rows(n) for value in row),
            *map(str, profile.rates + profile.law + profile.survival),
            *map(str, (profile.expected, profile.variance, profile.cost, profile.speedup)),
            *map(str, (profile.break_even, profile.passes, *profile.price)),
            str(abs(len(profile.committed) - profile.cost)),
            *(str(1 - rate) for rate in profile.rates),
            *(value for rule in profile.rules for value in re.findall(r"\d+/\d+", rule)),
            *profile.profile["draws"]["accept"],
            profile.profile["draws"]["replacement"],
            profile.profile["draws"]["bonus"],
        }
        found = set(re.findall(r"(?<![\d/])\d+/\d+(?![\d/])", site.texts[page_of(profile)]))
        assert found - known - eighths == set()
        assert {str(profile.expected), str(profile.speedup), str(profile.variance)} <= found


def test_every_speedup_stands_with_its_assumption(each_site: BuiltSite) -> None:
    standing = 0
    for path in unlike(each_site):
        text = each_site.texts[path]
        for profile in all_profiles(each_site):
            if re.search(rf"(?<![\d/.]){about(profile.speedup)}×", text):
                assert profile.assumption in text, path
                standing += 1
    assert standing >= 3 * len(all_profiles(each_site))  # own page, overview, cost


def test_the_two_meanings_of_262_are_told_apart(site: BuiltSite) -> None:
    assert (
        "2.62 stands here twice and means two things: tokens per round for “A divergent draft”, "
        "and a speed-up for “A closely aligned draft”. As fractions they are 2683/1024 and "
        "64267/24576." in site.texts["index.html"]
    )


# Code.


def test_the_code_page_shows_the_real_source(site: BuiltSite) -> None:
    page = (ROOT / "docs/code.md").read_text(encoding="utf-8")
    named = re.findall(r'\[\[ source\("([\w.]+)", "([\w.]+)"\) \]\]', page)
    assert ("specdec.rounds", "speculative_round") in named
    blocks = [block.get_text() for block in site.article("code.html").select("pre")]
    assert blocks == [
        dedent(inspect.getsource(attrgetter(name)(importlib.import_module(module))))
        for module, name in named
    ]


# Data that tries to break out.


def hostile_tokens(site: BuiltSite) -> list[Plain]:
    return profiles_of(site)["profiles.v1.json"]


def hostile_profiles(site: BuiltSite) -> list[Plain]:
    """Return the profiles whose titles try to break out."""
    return [each for each in all_profiles(site) if each.id != "nimbus-mini"]


def hostile_texts(site: BuiltSite) -> list[Plain]:
    return profiles_of(site)["texts.v1.json"]


def test_every_token_shows_exactly(hostile_site: BuiltSite) -> None:
    for profile in hostile_tokens(hostile_site):
        tokens = hostile_site.article(page_of(profile)).select("bdi.token")
        assert {token.get_text() for token in tokens} == set(map(without_isolates, TOKENS))


def test_titles_show_literally(hostile_site: BuiltSite) -> None:
    site_name = yaml.safe_load(
        "\n".join((ROOT / "mkdocs.yml").read_text(encoding="utf-8").splitlines()[:1])
    )["site_name"]
    for profile in hostile_profiles(hostile_site):
        page, title = hostile_site.pages[page_of(profile)], one_line(profile.title)
        heading = page.h1
        assert heading is not None
        assert shown(heading) == title
        name = page.title
        assert name is not None
        assert one_line(name.get_text()) == one_line(f"{title} - {site_name}")
        meta = page.find("meta", attrs={"name": "description"})
        assert isinstance(meta, Tag)
        assert attribute(meta, "content") == (
            "One round of speculative decoding, frame by frame, in exact fractions: "
            + profile.title
        )
        header = page.select(".md-header__topic")[1]
        assert shown(header) == title


def test_navigation_shows_titles_literally(hostile_site: BuiltSite) -> None:
    hostile = hostile_texts(hostile_site)
    for path, page in themed(hostile_site).items():
        links = page.select(".md-nav--primary a.md-nav__link[href*='texts-']")
        labels = [
            shown(link) for link in links if "md-nav__link--active" not in (link.get("class") or [])
        ]
        own = [one_line(each.title) for each in hostile if page_of(each) != path]
        assert labels == own, path
    page = hostile_site.pages[page_of(hostile[1])]
    footer = page.select(".md-footer__link")
    assert [shown(link.select(".md-ellipsis")[0]) for link in footer] == [
        one_line(hostile[0].title),
        one_line(hostile[2].title),
    ]
    assert [attribute(link, "aria-label") for link in footer] == [
        f"Previous: {hostile[0].title}",
        f"Next: {hostile[2].title}",
    ]


def test_a_title_that_turns_the_direction_turns_only_itself(hostile_site: BuiltSite) -> None:
    text = (hostile_site.folder / "profiles" / "index.html").read_text(encoding="utf-8")
    assert "\u202e" in text
    outside, found = re.sub('<bdi class="token">[^<]*</bdi>', "", text), 1
    while found:  # the innermost isolates first
        outside, found = re.subn("\u2068[^\u2068\u2069]*\u2069", "", outside)
    assert "\u202e" not in outside


def test_the_overview_shows_titles_and_descriptions_literally(hostile_site: BuiltSite) -> None:
    content = hostile_site.article("profiles/index.html")
    shown_pairs = {
        shown(title): shown(description)
        for title, description in zip(content.select("dt"), content.select("dd"), strict=True)
    }
    for profile in all_profiles(hostile_site):
        description = one_line(profile.profile["description"])
        assert shown_pairs[one_line(profile.title)].startswith(f"{description} ")
    headings = [shown(heading) for heading in content.select("h2")]
    for profiles in profiles_of(hostile_site).values():
        assert one_line(profiles[0].scenario["title"]) in headings


def test_descriptions_show_literally(hostile_site: BuiltSite) -> None:
    for profile in all_profiles(hostile_site):
        first = hostile_site.article(page_of(profile)).select_one("h1 ~ p")
        assert first is not None
        assert shown(first) == one_line(profile.profile["description"])


def test_the_context_shows_literally(hostile_site: BuiltSite) -> None:
    for profile in all_profiles(hostile_site):
        lines = hostile_site.article(page_of(profile)).select("ol.frames .context")
        context = one_line(profile.scenario["context"])
        assert {shown(line) for line in lines} == ({context} if context else set())


def test_nothing_from_data_is_active(hostile_site: BuiltSite) -> None:
    for path, page in hostile_site.pages.items():
        run = [each for each in page.find_all("script") if "json" not in str(each.get("type"))]
        assert [each for each in run if "alert" in each.get_text()] == []
        for element in page.find_all(True):
            assert not [name for name in element.attrs if name.startswith("on")], path
            address = str(element.get("href") or element.get("src") or "")
            assert "javascript:" not in address, path
            assert "example.com" not in address, path
        content = hostile_site.article(path)
        assert content.find_all(["abbr", "textarea", "title"]) == []
        for picture in content.find_all("img"):
            assert re.fullmatch(
                r"(\.\./)?(figures/)?[a-z0-9-]+(\.dark)?\.svg", attribute(picture, "src")
            )
        kinds = {str(field.get("type")) for field in content.find_all("input")}
        assert kinds <= {"range", "checkbox"}, "expected the player's own fields"
        assert content.select(".admonition, .toc, .emoji, .twemoji, .c, #i, #id") == []
        if path != "benchmark.html" and path not in figures_of(hostile_site):  # full of numbers
            assert not re.search(r"(?<![\d.])49(?!\d)", shown(content)), path
        if path.startswith(("profiles/texts-", "profiles/tokens.")) and "/embed/" not in path:
            wanted = {"proposed", "note", "context"}
            content = copy(content)  # others look at the page, too
            for snippet in content.select("pre.snippet"):  # shown, not run
                snippet.decompose()
            assert content.find_all(["code", "pre", "blockquote", "mark", "ins", "del"]) == []
            assert content.find_all(["em", "sup", "sub", "hr", "math"]) == []
            assert wanted <= {name for each in content.select("[class]") for name in each["class"]}


def test_a_new_file_has_its_pages_and_its_place_in_the_nav(hostile_site: BuiltSite) -> None:
    by_file = profiles_of(hostile_site)
    assert [each.id for each in by_file["two.v1.json"]] == [f"draft-{n}" for n in (1, 7)]
    for profile in by_file["two.v1.json"]:
        link = hostile_site.pages["index.html"].select_one(f".md-nav a[href='{page_of(profile)}']")
        assert link is not None
        assert shown(link) == one_line(profile.title)


def test_the_limits_are_reached(hostile_site: BuiltSite) -> None:
    """Else the tests above would not try what they are for."""
    by_id = {profile.id: profile for profile in all_profiles(hostile_site)}
    assert by_id["equal"].rates == [1]
    assert by_id["disjoint"].accepted == 0
    assert by_id["disjoint"].speedup < 1
    assert by_id["disjoint"].break_even < 0
    assert by_id["twelve"].k == 12
    assert by_id["twelve"].accepted == 12
    assert by_id["twelve-unlucky"].accepted == 2
    assert by_id["draft-7"].price[1] == Fraction(3, 2)
    assert {each.scenario["denominator"] for each in by_id.values()} == {1, 2, 4, 8, 10, 1000}


@pytest.mark.parametrize(
    ("profile", "sentences"),
    [
        pytest.param(
            "equal",
            [
                "The one proposal is accepted, so the round ends with a bonus token: two tokens "
                "from one pass of the target. No acceptance in this round needed luck: every",
                "The one proposal was accepted, and the bonus token came on top.",
                "Four frames: one for the proposals, one for the one position checked, one for "
                "the bonus token since nothing was rejected, and one to close: 1 + 1 + 1 + 1 = 4.",
                "Exactly one token takes 1 pass of the target on average, instead of 1.",
            ],
            id="equal",
        ),
        pytest.param(
            "disjoint",
            [
                "The first is rejected, as it must be, since the target gives it probability "
                "zero. The round commits one token and drops one proposal unchecked. The round, ",
                "None of the two proposals were accepted, and the replacement came on top.",
            ],
            id="disjoint",
        ),
    ],
)
def test_sentences_at_the_limits(
    hostile_site: BuiltSite, profile: str, sentences: list[str]
) -> None:
    text = hostile_site.texts[f"profiles/{profile}.html"]
    assert [each for each in sentences if each not in text] == []


def test_the_links_checked_are_all_there_are(tmp_path: Path) -> None:
    """The link check itself: it finds what is wrong, of every kind."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.css").write_text("@import 'no.css'; a { b: url( \"no.png\" ) }")
    (tmp_path / "sub/b.html").write_text("<p id=here></p>")
    (tmp_path / "index.html").write_text(
        "<a href=sub/b.html#here></a><a href=sub/b.html#gone></a><a href='#'></a>"
        "<a href=no.html></a><img src=no.jpg srcset='no-1.jpg 1x, sub/b.html 2x'>"
        "<a href=javascript:void></a><a href=https://example.org></a><a href=mailto:a@b></a>"
        "<p style='background: url(no.gif)'></p><a href=../../outside.html></a>"
        "<script src=https://example.org/x.js></script><link rel=preconnect href=//example.org>"
        "<a href=http://example.org></a>"
    )
    site = BuiltSite(tmp_path, tmp_path, "")
    assert broken_links(site) == [
        "index.html: <a>: sub/b.html#gone: no #gone in sub/b.html",
        "index.html: <a>: no.html: no file no.html",
        "index.html: <img>: no.jpg: no file no.jpg",
        "index.html: <img>: no-1.jpg: no file no-1.jpg",
        "index.html: <a>: javascript:void: a link of scheme javascript",
        "index.html: <p>: no.gif: no file no.gif",
        "index.html: <a>: ../../outside.html: no file outside.html",
        "a.css: no.png: no file no.png",
        "a.css: no.css: no file no.css",
    ]
    assert foreign_requests(site) == [
        "index.html: <script>: https://example.org/x.js",
        "index.html: <link>: //example.org",
        "index.html: <a>: javascript:void",
        "index.html: <a>: mailto:a@b",
        "index.html: <a>: http://example.org",
    ]
