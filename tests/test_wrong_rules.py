"""The laws that wrong rules produce: by hand, and by playing the mechanism on all its numbers."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import accumulate, product
from math import exp, lcm

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specdec import Distribution, SpecdecError, acceptance_rate, committed_length_law
from specdec.convergence import total_variation
from specdec.distribution import Token
from specdec.laws import by_position, sequence_law
from specdec.wrong_contexts import context_draft, context_target, first_tokens_going_on
from specdec.wrong_rules import (
    ACCEPTED_ONLY,
    GOES_ON,
    REMOVES_ONE_TOKEN,
    REPEATED_BONUS,
    RESAMPLES_TARGET,
    RIGHT,
    SHARED_WITH_PROPOSAL,
    SHARED_WITH_REPLACEMENT,
    SOFTMAX,
    SWAPPED,
    THRESHOLD,
    WRONG_RULES,
    Row,
    WrongRule,
    effect,
    length_law,
    position_law,
)
from tests.shipped import GOLDEN, Golden
from tests.strategies import distributions, models, pairs

Pair = tuple[Distribution, Distribution]
PAIRS = st.tuples(distributions(), distributions())


def law(text: str) -> Distribution:
    """Return a distribution over a, b, c … from ``"1/2 3/10 1/5"``."""
    return Distribution(dict(zip("abcdef", text.split(), strict=False)))


def fractions(text: str) -> Row:
    return tuple(map(Fraction, text.split()))


# Values by hand


@pytest.mark.parametrize(
    ("rule", "target", "draft", "expected"),
    [
        (RESAMPLES_TARGET, "1/2 3/10 1/5", "1/5 1/5 3/5", "2/5 8/25 7/25"),
        (RESAMPLES_TARGET, "4/8 3/8 1/8", "2/8 4/8 2/8", "12/32 15/32 5/32"),
        (REMOVES_ONE_TOKEN, "1/2 3/10 1/5", "1/5 1/5 3/5", "9/20 7/20 1/5"),
        (THRESHOLD, "1/2 1/2", "3/4 1/4", "0 1"),
        (SWAPPED, "1/4 3/4", "3/4 1/4", "11/12 1/12"),
        (SHARED_WITH_PROPOSAL, "1/4 3/4", "1/2 1/2", "1/2 1/2"),
        (SHARED_WITH_REPLACEMENT, "1/2 1/4 1/4", "1 0 0", "1/2 0 1/2"),
        (ACCEPTED_ONLY, "1/2 3/10 1/5", "1/5 1/5 3/5", "1/3 1/3 1/3"),
        (REPEATED_BONUS, "1/2 3/10 1/5", "1/5 1/5 3/5", "1/2 3/10 1/5"),
        (GOES_ON, "1/2 3/10 1/5", "1/5 1/5 3/5", "1/2 3/10 1/5"),
    ],
    ids=lambda value: value.id if isinstance(value, WrongRule) else value,
)
def test_laws_by_hand(rule: WrongRule, target: str, draft: str, expected: str) -> None:
    assert position_law(rule, law(target), law(draft)) == fractions(expected)


def test_the_softmax_by_hand() -> None:
    found = position_law(SOFTMAX, law("1/2 3/10 1/5"), law("1/5 1/5 3/5"))
    assert found is not None
    assert [round(float(share), 4) for share in found] == [0.3563, 0.3279, 0.3158]
    assert sum(found) == 1
    assert not SOFTMAX.exact
    assert all(rule.exact for rule in WRONG_RULES if rule is not SOFTMAX)


def test_the_softmax_is_that_of_the_leftover() -> None:
    """Where everything is rejected, the law is the softmax itself."""
    found = position_law(SOFTMAX, law("3/4 1/4 0"), law("0 0 1"))
    assert found is not None
    weights = [exp(0.75), exp(0.25), exp(0.0)]
    assert list(map(float, found)) == pytest.approx([each / sum(weights) for each in weights])


def test_an_effect_by_hand() -> None:
    rows = (law("4/8 3/8 1/8"),), law("1/4 1/4 1/2"), (law("2/8 4/8 2/8"),)
    found = effect(RESAMPLES_TARGET, *rows)
    assert list(found.laws) == [fractions("12/32 15/32 5/32"), fractions("1/4 1/4 1/2")]
    assert list(found.distances) == [Fraction(1, 8), 0]
    assert found.length_law == fractions("1/4 3/4")
    assert found.length_distance == 0
    assert found.worst == (1, Fraction(1, 8))
    assert found.shows


def test_the_bonus_from_the_wrong_row_by_hand() -> None:
    rows = (law("1/2 1/2"), law("1/4 3/4")), law("1 0"), (law("1/2 1/2"), law("1/4 3/4"))
    found = effect(REPEATED_BONUS, *rows)
    assert found.laws[-1] == fractions("1/4 3/4")
    assert list(found.distances) == [0, 0, Fraction(3, 4)]
    assert found.worst == (3, Fraction(3, 4))


def test_going_on_by_hand() -> None:
    """Both rates are 1/2: the round has its two tokens anyway, and the bonus one time in four."""
    rows = (law("1/2 1/2"), law("1/4 3/4")), law("1 0"), (law("1 0"), law("3/4 1/4"))
    found = effect(GOES_ON, *rows)
    assert list(found.distances) == [0, 0, 0]
    assert found.length_law == fractions("0 3/4 1/4")
    assert found.length_distance == Fraction(1, 2)  # from 1/2 1/4 1/4
    assert found.worst == (1, Fraction(0))
    assert found.shows


def test_where_nothing_is_tallied_there_is_no_law() -> None:
    """Of a disjoint pair nothing is accepted."""
    apart, whole = (law("1 0"), law("0 1")), law("1/2 1/2")
    assert position_law(ACCEPTED_ONLY, *apart) is None
    found = effect(ACCEPTED_ONLY, (whole, apart[0]), whole, (whole, apart[1]))
    assert list(found.laws) == [whole.probabilities, None, None], "no round gets a bonus either"
    assert list(found.distances) == [0, None, None]
    assert found.worst == (1, Fraction(0))
    assert found.silent == (2,)
    assert found.shows, "an empty histogram is no right one"


def test_what_no_round_reaches_has_no_law() -> None:
    apart, whole = (law("1 0"), law("0 1")), law("1/2 1/2")
    found = effect(RESAMPLES_TARGET, (apart[0], whole), whole, (apart[1], whole))
    assert list(found.laws) == [apart[0].probabilities, None, None]
    assert found.silent == ()
    on = effect(GOES_ON, (apart[0], whole), whole, (apart[1], whole))
    assert list(on.laws) == [apart[0].probabilities, whole.probabilities, None]


def test_where_no_law_is_left_nothing_is_off() -> None:
    found = effect(ACCEPTED_ONLY, (law("1 0"),), law("1 0"), (law("0 1"),))
    assert list(found.laws) == [None, None]
    assert found.silent == (1,)
    assert found.worst == (1, Fraction(0))


# Where the rows depend on the token before


def test_going_on_with_contexts_by_hand() -> None:
    found = first_tokens_going_on(context_target, context_draft, 2)
    assert found == {
        ("a", "a"): Fraction(1, 8),
        ("a", "b"): Fraction(3, 8),
        ("b", "a"): Fraction(11, 48),
        ("b", "b"): Fraction(13, 48),
    }
    right = sequence_law(context_target, 2)
    assert [right[tokens] for tokens in found] == list(fractions("1/8 3/8 1/3 1/6"))
    assert total_variation(tuple(found.values()), tuple(right.values())) == Fraction(5, 48)


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_going_on_with_one_proposal_changes_nothing(data: st.DataObject) -> None:
    target, draft = (data.draw(models("ab", 1)) for _ in range(2))
    assert first_tokens_going_on(target, draft, 0) == {(): 1}
    assert first_tokens_going_on(target, draft, 1) == sequence_law(target, 1)


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(PAIRS, max_size=3))
def test_going_on_without_contexts_changes_nothing_but_the_length(rows: list[Pair]) -> None:
    target, draft = (by_position([row[side] for row in rows]) for side in (0, 1))
    assert first_tokens_going_on(target, draft, len(rows)) == sequence_law(target, len(rows))


# Which rule shows where


@given(pair=pairs())
def test_the_right_rule_gives_the_target(pair: Pair) -> None:
    target, draft = pair
    assert position_law(RIGHT, target, draft) == target.probabilities
    assert length_law(RIGHT, (target,) * 2, (draft,) * 2) == committed_length_law(
        [acceptance_rate(target, draft)] * 2
    )


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)
def test_the_right_rule_shows_nothing(golden: Golden) -> None:
    found = effect(RIGHT, golden.scenario.target, golden.scenario.bonus, golden.profile.draft)
    assert list(found.distances) == [0] * (len(golden.rates) + 1)
    assert found.length_law == golden.law
    assert not found.shows


SHOWN = {
    RESAMPLES_TARGET: {"aligned", "divergent", "nimbus-mini"},
    REMOVES_ONE_TOKEN: {"aligned", "divergent", "nimbus-mini"},
    SOFTMAX: {"aligned", "divergent", "nimbus-mini"},
    THRESHOLD: {"divergent", "nimbus-mini"},
    SWAPPED: {"aligned", "divergent", "nimbus-mini"},
    SHARED_WITH_PROPOSAL: {"divergent", "nimbus-mini"},
    SHARED_WITH_REPLACEMENT: {"nimbus-mini"},
    REPEATED_BONUS: {"aligned", "divergent", "nimbus-mini"},
    GOES_ON: {"aligned", "divergent", "nimbus-mini"},
    ACCEPTED_ONLY: {"aligned", "divergent", "nimbus-mini"},
}
"""The profiles on which each rule does any harm; on the others it is right, by chance."""


@pytest.mark.parametrize("rule", WRONG_RULES, ids=lambda rule: rule.id)
def test_where_a_rule_shows(rule: WrongRule) -> None:
    found = {
        golden.id: effect(rule, golden.scenario.target, golden.scenario.bonus, golden.profile.draft)
        for golden in GOLDEN
    }
    assert {profile for profile, each in found.items() if each.shows} == SHOWN[rule]


def test_the_rules_have_names_of_their_own() -> None:
    assert len({rule.id for rule in WRONG_RULES}) == len(WRONG_RULES) == len(SHOWN)


# The mechanism on all its numbers


def played(
    rule: WrongRule, target: Distribution, draft: Distribution
) -> tuple[Counter[Token], Fraction]:
    """Play a position once with every combination of numbers from a grid.

    The grid is so fine that whatever a number decides changes at its points only: all numbers from
    one point to the next decide as the first.

    Returns:
        How often each token is tallied, and the share of the proposals that are accepted.
    """
    limits = {
        token: rule.accept(target, draft, token) for token, offered in draft.items() if offered
    }
    replacements = {
        token: rule.correct(target, draft, token) for token, limit in limits.items() if limit < 1
    }
    bounds = list(limits.values())
    for law in (draft, *replacements.values()):
        bounds += accumulate(law.probabilities)
    size = lcm(*(bound.denominator for bound in bounds))
    grid = [Fraction(point, size) for point in range(size)]
    proposed_at = list(map(draft.token_at, grid))
    replaced_at = {token: list(map(law.token_at, grid)) for token, law in replacements.items()}
    tallied: Counter[Token] = Counter()
    accepted = 0
    used = max(rule.numbers) + 1
    for numbers in product(range(size), repeat=used):
        proposing, deciding, replacing = (numbers[each] for each in rule.numbers)
        token = proposed_at[proposing]
        if grid[deciding] < limits[token]:
            accepted += 1
            tallied[token] += 1
        elif rule.tallied == "committed":
            tallied[replaced_at[token][replacing]] += 1
    return tallied, Fraction(accepted, size**used)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), whole=st.integers(1, 4))
@pytest.mark.parametrize(
    "rule", [RIGHT, *(rule for rule in WRONG_RULES if rule.exact)], ids=lambda rule: rule.id
)
def test_laws_are_those_of_the_mechanism_played(
    rule: WrongRule, data: st.DataObject, whole: int
) -> None:
    target, draft = (data.draw(over(whole)) for _ in range(2))
    tallied, rate = played(rule, target, draft)
    shares = tuple(Fraction(tallied[token], tallied.total() or 1) for token in target)
    assert position_law(rule, target, draft) == (shares if any(shares) else None)
    stopping = rule.after_rejection == "stop"
    assert length_law(rule, (target,), (draft,)) == (1 - rate, rate)
    assert length_law(rule, (target,) * 2, (draft,) * 2) == (
        (1 - rate, rate * (1 - rate), rate**2) if stopping else (0, 1 - rate**2, rate**2)
    )


def over(whole: int) -> st.SearchStrategy[Distribution]:
    """Laws over a, b and c in shares of a whole."""
    cuts = st.tuples(st.integers(0, whole), st.integers(0, whole)).map(sorted)
    return cuts.map(
        lambda cut: Distribution.from_numerators(
            "abc", [cut[0], cut[1] - cut[0], whole - cut[1]], whole
        )
    )


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(PAIRS, min_size=1, max_size=3), bonus=distributions())
@pytest.mark.parametrize("rule", WRONG_RULES, ids=lambda rule: rule.id)
def test_effects_are_laws(rule: WrongRule, rows: list[Pair], bonus: Distribution) -> None:
    target, draft = zip(*rows, strict=True)
    found = effect(rule, target, bonus, draft)
    assert len(found.laws) == len(found.distances) == len(found.length_law) == len(rows) + 1
    for shares in (*found.laws, found.length_law):
        assert shares is None or (sum(shares) == 1 and min(shares) >= 0)
    assert all(far is None or 0 <= far <= 1 for far in found.distances)


@pytest.mark.parametrize(
    ("target", "bonus", "draft", "message"),
    [
        ([], "1 0", [], "rows: expected a target and a draft for each position, got 0 and 0"),
        (["1 0"], "1 0", [], "rows: expected a target and a draft for each position, got 1 and 0"),
        (
            ["1 0"], "1 0 0", ["1 0"],
            "distributions: expected one vocabulary in one order, "
            "got ('a', 'b', 'c') and ('a', 'b')",
        ),
    ],
)  # fmt: skip
def test_rows_that_do_not_fit_are_refused(
    target: list[str], bonus: str, draft: list[str], message: str
) -> None:
    with pytest.raises(SpecdecError) as refused:
        effect(SWAPPED, tuple(map(law, target)), law(bonus), tuple(map(law, draft)))
    assert str(refused.value) == message
