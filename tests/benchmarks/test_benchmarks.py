"""The benchmark measures what it says: its inputs, its way of timing and its published result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests import benchmarks
from tests.benchmarks.contenders import LABELS, exact_rounds, float_rounds, plain
from tests.benchmarks.inputs import exactly, random_rows, shipped
from tests.benchmarks.run import RESULT
from tests.benchmarks.timing import Contender, take_turns, warm_up
from tests.shipped import GOLDEN

PROFILES = [each for each in GOLDEN if each.file == "profiles.v1.json"]


@pytest.mark.parametrize("golden", PROFILES, ids=lambda each: each.id)
def test_the_floor_draws_what_the_rounds_consume(golden: Any) -> None:
    attempted = golden.expected - golden.law[-1]  # all but the bonus token
    rows = shipped(golden.id).rows
    assert Fraction(rows.uniforms) == 2 * attempted + 1
    assert rows.committed == pytest.approx((float(golden.expected), float(golden.variance)))


@pytest.mark.parametrize("vocabulary", [2, 6, 1000])
def test_random_rows_have_the_rates_asked_for(vocabulary: int) -> None:
    rates = [0.7, 0.8, 0.98]
    rows = random_rows(vocabulary, rates, seed=5)
    assert rows.rates == pytest.approx(rates)
    for row in (*rows.target, rows.bonus, *rows.draft):
        assert row.min() >= 0
        assert row.sum() == pytest.approx(1)


def test_exact_rows_are_the_same_numbers() -> None:
    exact = exactly(random_rows(6, [0.8, 0.9], seed=5))
    for law, row in zip(exact.target, exact.rows.target, strict=True):
        assert list(law.probabilities) == list(map(Fraction, row.tolist()))


def test_proposals_come_from_the_draft() -> None:
    rows = shipped("divergent").rows
    drawn = rows.proposals(20_000, seed=1)
    for position, token in product(range(rows.k), range(rows.vocabulary)):
        share = np.count_nonzero(drawn[:, position] == token) / len(drawn)
        assert share == pytest.approx(rows.draft[position, token], abs=0.02)
        assert bool(share) == bool(rows.draft[position, token])


def test_ours_and_the_plain_loop_play_the_rounds() -> None:
    exact = shipped("aligned")
    rows = exact.rows
    for contender in (exact_rounds(exact, 5000), float_rounds(rows, 5000), plain(rows, 5000)):
        warm_up(contender, rows)


def test_a_contender_that_plays_something_else_is_refused() -> None:
    aligned, divergent = shipped("aligned"), shipped("divergent")
    with pytest.raises(RuntimeError, match=r"sample_rounds: expected rounds of 3\.92\d+ tokens"):
        warm_up(exact_rounds(divergent, 5000), aligned.rows)


def test_contenders_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gc.collect", lambda: 0)  # takes seconds among so many tests
    order: list[str] = []
    each = [Contender(name, 2, partial(order.append, name)) for name in "abc"]
    times = take_turns(each, repetitions=3)
    assert "".join(order) == "abcbcacab"
    for one in times:
        assert len(one.seconds) == 3
        assert one.least == min(one.seconds) / 2 * 1e9
        assert one.least <= one.middle


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = value.values()
    if not isinstance(value, str):
        try:
            each = iter(value)
        except TypeError:
            return
        for part in each:
            yield from keys(part)


@pytest.mark.skipif(not RESULT.exists(), reason="the benchmark has not been run")
def test_the_published_result_holds_what_the_schema_says() -> None:
    result = json.loads(RESULT.read_bytes())
    words = {*re.findall(r"\w+", benchmarks.__doc__ or ""), *LABELS}
    assert set(keys(result)) <= words
    assert set(result["contenders"]) == set(LABELS)
    for case in result["cases"]:
        assert len(case["rates"]) == case["k"]
        (ours,) = (each for each in case["measurements"] if each["contender"] == case["ours"])
        for each in case["measurements"]:
            ratio = each["ns_per_round"]["min"] / ours["ns_per_round"]["min"]
            assert each["times_ours"] == pytest.approx(ratio, rel=1e-3)
            assert each["ns_per_round"]["min"] <= each["ns_per_round"]["median"]
            assert each["scaled"] == (each["rounds"] < case["rounds"])
