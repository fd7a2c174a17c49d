"""The shipped files give the golden values, as fractions, by every route."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from specdec import expected_passes, expected_tokens
from specdec.claims import check_profile, check_random_pairs
from specdec.expectations import mean
from specdec.report import dropped_though_certain, report
from tests.shipped import DATA, GOLDEN, Golden

each_profile = pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)


def test_the_files_ship_these_profiles_and_no_others() -> None:
    shipped = {
        (path.name, profile["id"])
        for path in DATA.glob("*.json")
        if ".schema." not in path.name
        for profile in json.loads(path.read_text(encoding="utf-8"))["profiles"]
    }
    assert shipped == {(golden.file, golden.id) for golden in GOLDEN}


@each_profile
def test_report(golden: Golden) -> None:
    results = report(golden.scenario, golden.profile)

    assert results.acceptance_rates == golden.rates
    assert results.committed_length_law == golden.law
    assert results.expected_tokens == golden.expected
    assert results.variance == golden.variance
    assert results.round_cost == golden.round_cost
    assert results.speedup == golden.speedup
    assert tuple(frame.kind for frame in results.round.frames) == golden.kinds
    assert results.round.committed == golden.committed
    assert results.round.accepted == golden.accepted


@each_profile
def test_three_routes_lead_to_the_expected_tokens(golden: Golden) -> None:
    claims = check_profile(golden.scenario, golden.profile, report(golden.scenario, golden.profile))

    assert expected_tokens(golden.rates) == golden.expected
    assert mean(golden.law) == golden.expected
    assert claims.expected_by_brute_force == golden.expected
    assert claims.expected_by_product == claims.expected_by_law == golden.expected
    assert claims.identity_tokens == len(golden.rates) * len(golden.scenario.vocabulary)
    assert claims.generated_length == 3
    assert claims.hold


@pytest.mark.parametrize("golden", [g for g in GOLDEN if g.passes[0]], ids=lambda g: g.id)
def test_passes_for_exactly_five_tokens(golden: Golden) -> None:
    tokens, passes = golden.passes
    assert expected_passes(golden.rates, tokens) == passes


def test_the_only_lucky_acceptance_that_ships() -> None:
    lucky = [
        (golden.id, frame.token, frame.accept_probability, frame.draw)
        for golden in GOLDEN
        for frame in report(golden.scenario, golden.profile).round.frames
        if frame.verdict == "accepted" and frame.accept_probability != 1
    ]
    assert lucky == [("nimbus-mini", "file", Fraction(5, 6), Fraction(1, 2))]


@pytest.mark.parametrize(
    ("id", "dropped"), [("aligned", ()), ("divergent", ("on",)), ("nimbus-mini", ())]
)
def test_dropped_proposals_that_any_draw_would_have_kept(id: str, dropped: tuple[str, ...]) -> None:
    golden = next(each for each in GOLDEN if each.id == id)
    played = report(golden.scenario, golden.profile).round
    assert dropped_though_certain(golden.scenario, golden.profile, played) == dropped


def test_random_pairs_hold_and_include_the_extremes() -> None:
    checked = check_random_pairs(500, seed=1)
    assert checked.hold
    assert (checked.pairs, checked.seed) == (500, 1)
    assert checked.equal > 25
    assert checked.disjoint > 25
