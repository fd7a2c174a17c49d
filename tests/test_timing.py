"""A round in time, below its frames: in words and in boxes, whatever the data."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import Tag

from build_scripts import pages
from build_scripts.profile_results import ProfileResults
from build_scripts.work import read_work
from specdec import load
from specdec.report import report
from tests.plain import Plain, scenarios
from tests.site_checks import ROOT, BuiltSite, attribute, parsed, shown

ROUNDED = 0.0001
"""Percents by which a number of four places may be off, twice over."""


def share(element: Tag, name: str) -> float:
    """Return a length that is given as a percentage, as a share of the whole."""
    text = attribute(element, name)
    assert text.endswith("%")
    return float(text.removesuffix("%"))


def boxes(timing: Tag, row: str) -> list[Tag]:
    return [box for box in timing.select("rect") if attribute(box, "y") == row]


def agrees(timing: Tag, plain: Plain) -> None:
    """Check words and boxes of a round against its data file."""
    words = timing.select_one("p")
    assert words is not None
    assert shown(words) == plain.timing

    made, (draft_step, verify_pass) = len(plain.committed), plain.price
    drafts = [draft_step] * plain.k if draft_step else []
    whole = max(Fraction(made), plain.cost)
    for row, lengths in (("15", [Fraction(1)] * made), ("46", [*drafts, verify_pass])):
        found = boxes(timing, row)
        starts = [Fraction(0), *accumulate(lengths)]
        assert len(found) == len(lengths)
        for box, start, length in zip(found, starts, lengths, strict=False):
            assert abs(share(box, "x") - float(100 * start / whole)) <= ROUNDED
            assert abs(share(box, "width") - float(100 * length / whole)) <= ROUNDED
            thin = "step-thin" in box["class"]
            assert thin == (100 * length < whole)
        end = share(found[-1], "x") + share(found[-1], "width")
        assert end <= 100 + ROUNDED
    alone, together = (share(line, "x") for line in timing.select("svg svg"))
    assert alone == pytest.approx(float(100 * made / whole), abs=ROUNDED)
    assert together == pytest.approx(float(100 * plain.cost / whole), abs=ROUNDED)
    kinds = [box["class"][0] for box in boxes(timing, "46")]
    assert kinds == ["step-draft"] * len(drafts) + ["step-target"]


# On the site.


def test_each_player_shows_its_round_in_time(each_site: BuiltSite) -> None:
    for home in scenarios(each_site.project / "data").values():
        for plain in home:
            for path in (f"profiles/{plain.id}.html", f"profiles/{plain.id}/embed/index.html"):
                (timing,) = each_site.pages[path].select("specdec-player .timing")
                agrees(timing, plain)


def test_each_player_of_a_switch_has_its_own(site: BuiltSite) -> None:
    found = site.article("index.html").select("specdec-player .timing")
    for timing, plain in zip(
        found, scenarios(site.project / "data")["profiles.v1.json"], strict=True
    ):
        agrees(timing, plain)
        hatched = {box["fill"] for box in timing.select(".step-draft")}
        assert hatched == {f"url(#hatch-{plain.id})"}


# Of any data.


def made(accepted: str, draft_step: str, verify_pass: str) -> dict[str, Any]:
    """Return a scenario whose round accepts (1) or rejects (0) one proposal after the other."""
    kept = [mark == "1" for mark in accepted]
    return {
        "version": 1,
        "title": "Made",
        "context": "",
        "denominator": 1,
        "vocabulary": ["x", "y"],
        "target": [[1, 0]] * len(kept),
        "bonus": [1, 0],
        "cost_model": {"draft_step": draft_step, "verify_pass": verify_pass},
        "profiles": [
            {
                "id": "made",
                "title": "Made",
                "draft": [[1, 0] if each else [0, 1] for each in kept],
                "proposals": ["x" if each else "y" for each in kept],
                "draws": {"accept": ["1/2"] * len(kept), "replacement": "0", "bonus": "0"},
            }
        ],
    }


def timing_of(folder: Path, scenario: dict[str, Any]) -> Tag:
    """Return what the player of the first profile shows of its time."""
    path = folder / "made.v1.json"
    path.write_text(json.dumps(scenario), encoding="utf-8")
    loaded = load(path)
    profile = loaded.profiles[0]
    this = ProfileResults(path.name, "", loaded, profile, report(loaded, profile), UNUSED, UNUSED)
    (folder / "timing.html").write_text(simulation()["timing"](this), encoding="utf-8")
    (found,) = parsed(folder / "timing.html").select(".timing")
    return found


UNUSED: Any = SimpleNamespace()


@lru_cache
def simulation() -> dict[str, Any]:
    """Return the macros of a round."""
    environment = pages._environment(ROOT / "docs", UNUSED, {}, read_work(ROOT, ""))
    return vars(environment.get_template("_simulation.html").module)


CASES = {
    "one token, slower": ("0", "1/10", "1"),
    "one token, as long": ("0", "0", "1"),
    "one token, quicker": ("01", "1/8", "1/2"),
    "quicker": ("110", "1/10", "1"),
    "quicker by a step": ("1", "0", "1"),
    "as long": ("11", "1", "1"),
    "slower": ("11", "3/2", "1/3"),
    "a dear draft": ("11", "1000000", "1"),
    "a dear pass": ("11", "1/10", "1000000"),
    "a cheap pass": ("1", "0", "1/1000000000"),
    "free": ("1110", "0", "3/2"),
    "as many as there may be": ("1" * 64, "1/10", "1"),
    "thin": ("1" * 64, "1/1000", "7/3"),
    "many, none accepted": ("0" * 64, "1/7", "1"),
}


@pytest.mark.parametrize("case", CASES)
def test_of_any_data(case: str, tmp_path: Path) -> None:
    scenario = made(*CASES[case])
    timing = timing_of(tmp_path, scenario)
    agrees(timing, Plain(scenario, scenario["profiles"][0]))
    assert not timing.select("[style], [id]")


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            "one token, slower",
            "This round: one draft step and one target pass, 11/10 target steps of time at the "
            "assumed prices, for one token. One at a time, one token takes one pass. That "
            "saves no pass, and this round took longer, by 1/10 of a target step. One round is no "
            "average.",
        ),
        (
            "quicker by a step",
            "This round: one draft step, for nothing, and one target pass, 1 target step of time "
            "at the assumed prices, for two tokens. One at a time, two tokens take two passes, "
            "one after the other. That saves one sequential pass, and 1 target step of time. One "
            "round is no average.",
        ),
        (
            "as long",
            "This round: two draft steps and one target pass, 3 target steps of time at the "
            "assumed prices, for three tokens. One at a time, three tokens take three passes, one "
            "after the other. That saves two sequential passes, but no time: this round took as "
            "long. One round is no average.",
        ),
        (
            "a dear draft",
            "This round: two draft steps and one target pass, 2000001 target steps of time at the "
            "assumed prices, for three tokens. One at a time, three tokens take three passes, one "
            "after the other. That saves two sequential passes, but this round took longer, by "
            "1999998 target steps. One round is no average.",
        ),
    ],
)
def test_the_words_themselves(case: str, words: str) -> None:
    scenario = made(*CASES[case])
    assert Plain(scenario, scenario["profiles"][0]).timing == words


def test_boxes_lie_end_to_end(tmp_path: Path) -> None:
    timing = timing_of(tmp_path, made("111", "1/4", "1"))
    for row in ("15", "46"):
        for one, next_ in pairwise(boxes(timing, row)):
            end = share(one, "x") + share(one, "width")
            assert end == pytest.approx(share(next_, "x"), abs=ROUNDED)
