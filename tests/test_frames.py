"""The frames as a page and as JSON say the same, and what the engine says."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from build_scripts.columns import columns
from build_scripts.profile_results import ProfileResults
from specdec.claims import check_profile
from specdec.report import report
from specdec.runs import Run
from tests.shipped import GOLDEN, Golden
from tests.site_checks import BuiltSite

each_profile = pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)


def published(site: BuiltSite, golden: Golden) -> dict[str, Any]:
    text = (site.folder / "frames" / f"{golden.id}.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@each_profile
def test_json_frames_are_the_engines(site: BuiltSite, golden: Golden) -> None:
    document = published(site, golden)
    played = report(golden.scenario, golden.profile).round
    assert document["profile"] == golden.id
    assert document["data"]["file"] == golden.file
    assert document["vocabulary"] == list(golden.scenario.vocabulary)
    assert [frame["kind"] for frame in document["frames"]] == list(golden.kinds)
    for written, frame in zip(document["frames"], played.frames, strict=True):
        assert written["committed"] == list(frame.committed)
        assert written["pending"] == list(frame.pending)
        assert written["dropped"] == list(frame.dropped)
        assert written.get("verdict") == frame.verdict
        for name in ("target", "draft", "ratio", "accept_probability", "draw", "replacement_draw"):
            number = getattr(frame, name)
            assert (Fraction(written[name]) if name in written else None) == number
        if frame.residual is not None:
            residual = {token: Fraction(text) for token, text in written["residual"].items()}
            assert residual == dict(frame.residual.items())


@each_profile
def test_json_captions_are_those_of_the_page(site: BuiltSite, golden: Golden) -> None:
    page = site.pages[f"profiles/{golden.id}.html"]
    for frame in published(site, golden)["frames"]:
        shown = page.select_one(f"#{frame['id']} .frame-caption")
        assert shown is not None
        assert frame["caption"] == shown.get_text()


@each_profile
def test_the_page_to_embed_has_the_same_frames(site: BuiltSite, golden: Golden) -> None:
    def frames(path: str) -> list[str]:
        return [str(frame) for frame in site.pages[path].select("ol.frames > li")]

    page = f"profiles/{golden.id}"
    assert frames(f"{page}/embed/index.html") == frames(f"{page}.html") != []


def results(golden: Golden) -> ProfileResults:
    scenario, profile = golden.scenario, golden.profile
    found = report(scenario, profile)
    claims = check_profile(scenario, profile, found)
    rows = (*scenario.target, scenario.bonus)
    run = Run(rows, found.committed_length_law, (1,), [[[0]] * len(rows)], [0], seed=0)
    return ProfileResults(golden.file, "0" * 64, scenario, profile, found, claims, run)


def test_columns_follow_the_round() -> None:
    this = results(GOLDEN[1])
    states = [" ".join(column.state for column in columns(this, frame)) for frame in this.frames]
    assert states == [
        "waiting waiting waiting waiting waiting",
        "accepted waiting waiting waiting waiting",
        "accepted accepted waiting waiting waiting",
        "accepted accepted rejected dropped dropped",
        "accepted accepted rejected dropped dropped",
    ]
    current = [
        [column.position.number for column in columns(this, frame) if column.current]
        for frame in this.frames
    ]
    assert current == [[], [1], [2], [3], []]


def test_a_column_that_is_checked_or_not_yet() -> None:
    this = results(GOLDEN[0])
    last = [column.state for column in columns(this, this.frames[-1])]
    assert last == ["accepted"] * 5
