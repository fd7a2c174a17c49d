"""A worked example small enough for a blackboard, and what common beliefs come to on it.

Nothing here is needed to compute anything else. The numbers are those of ``docs/misconceptions.md``
and ``docs/exercises/``; the example does not change when the data files do.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from specdec.convergence import total_variation
from specdec.cost import CostModel, positions_per_token
from specdec.distribution import Distribution, Token
from specdec.exact import require_count
from specdec.expectations import (
    committed_length_law,
    expected_tokens,
    mean,
    second_moment,
    survival,
)
from specdec.positions import Position, position
from specdec.verification import accept_probability, acceptance_rate, residual
from specdec.wrong_rules import RESAMPLES_TARGET, THRESHOLD, Row, WrongRule, position_law

DENOMINATOR = 8
TARGET = Distribution.from_numerators("abc", (4, 3, 1), DENOMINATOR)
DRAFT = Distribution.from_numerators("abc", (2, 4, 2), DENOMINATOR)
OTHER_TARGET = Distribution.from_numerators("abc", (1, 1, 6), DENOMINATOR)
"""The target after other words, where the same draft says what it said before."""

RATE, K, PRICES = Fraction(4, 5), 4, CostModel("1/10", 1)
"""Equal acceptance rates, proposals per round, prices: where a belief is about whole rounds."""

T5_K = 7
CHEAP, DEAR = (Fraction(3, 4), CostModel("1/50", 1)), (Fraction(41, 50), CostModel("11/100", 1))
"""Acceptance rate and prices of a small and a large draft: T5-small and T5-large, translating at
temperature 0 with `T5_K` proposals, as Leviathan et al. 2023 measured them."""

PROPOSAL, OTHER_PROPOSAL = "b", "c"
DRAWS = (Fraction(1, 2), Fraction(3, 4), Fraction(7, 8))
"""Below the acceptance probability of the proposal, at it, above it."""

TWO_RATES = (Fraction(1, 2), Fraction(7, 8))
COIN, COIN_PRICES = Fraction(1, 2), CostModel("1/4", 1)


@dataclass(frozen=True, slots=True)
class DraftLengths:
    """Rounds of one, two and three proposals with equal rates.

    Attributes:
        rate: chance to accept a proposal that is checked.
        price: of a draft step, in target steps.
        rounds: (proposals, mean tokens, cost in target steps, speed-up).
        added: mean tokens that each proposal adds.
        best: the number of proposals with the highest speed-up.
    """

    rate: Fraction
    price: Fraction
    rounds: tuple[tuple[int, Fraction, Fraction, Fraction], ...]
    added: tuple[Fraction, ...]
    best: int


@dataclass(frozen=True, slots=True)
class Blackboard:
    """What the exercises ask of the example.

    Attributes:
        position: its one position, with the proposal whose fate is asked.
        acceptance: acceptance probability of that proposal.
        draws: random numbers that may decide on it.
        replacement: the only token of the residual.
        sure: the position with a draft that is sure of one token.
        rates: acceptance rates of a round.
        survival: chance that the first j are all accepted, for j = 0 … k.
        law: (P(N = 1), …, P(N = k + 1)) of that round.
        tokens: mean tokens of that round.
        two_rates: of a round of two.
        orders: (rates, mean tokens) for both orders of them.
        coin: rounds of several lengths.
    """

    position: Position
    acceptance: Fraction
    draws: tuple[Fraction, ...]
    replacement: Token
    sure: Position
    rates: tuple[Fraction, ...]
    survival: tuple[Fraction, ...]
    law: tuple[Fraction, ...]
    tokens: Fraction
    two_rates: tuple[Fraction, Fraction]
    orders: tuple[tuple[tuple[Fraction, Fraction], Fraction], ...]
    coin: DraftLengths


def blackboard() -> Blackboard:
    """Return what the exercises ask of the example, by the engine."""
    rates = (acceptance_rate(TARGET, DRAFT),) * 3
    lengths = (1, 2, 3)
    return Blackboard(
        position=position(1, TARGET, DRAFT, PROPOSAL),
        acceptance=accept_probability(TARGET, DRAFT, PROPOSAL),
        draws=DRAWS,
        replacement=likeliest(residual(TARGET, DRAFT)),
        sure=position(1, TARGET, certain(DRAFT, OTHER_PROPOSAL), OTHER_PROPOSAL),
        rates=rates,
        survival=survival(rates),
        law=committed_length_law(rates),
        tokens=expected_tokens(rates),
        two_rates=TWO_RATES,
        orders=tuple((order, expected_tokens(order)) for order in (TWO_RATES, TWO_RATES[::-1])),
        coin=DraftLengths(
            rate=COIN,
            price=COIN_PRICES.draft_step,
            rounds=tuple(
                (
                    k,
                    expected_tokens([COIN] * k),
                    COIN_PRICES.round_cost(k),
                    COIN_PRICES.speedup([COIN] * k),
                )
                for k in lengths
            ),
            added=survival([COIN] * lengths[-1])[1:],
            best=COIN_PRICES.best_draft_length(COIN, lengths[-1]),
        ),
    )


def coincidence(law: Distribution) -> Fraction:
    """Return the chance that two independent tokens of a law are the same."""
    return sum((chance * chance for chance in law.probabilities), start=Fraction(0))


def sharpened(law: Distribution, power: int) -> Distribution:
    """Return the distribution at temperature 1/power: every probability to that power, rescaled.

    Raises:
        SpecdecError: the power is no whole number >= 0.

    >>> sharpened(Distribution({"a": "2/3", "b": "1/3"}), 2)
    Distribution({'a': '4/5', 'b': '1/5'})
    """
    require_count("power", power)
    powers = {token: chance**power for token, chance in law.items()}
    mass = sum(powers.values())
    return Distribution({token: value / mass for token, value in powers.items()})


def certain(law: Distribution, token: Token) -> Distribution:
    """Return the distribution that gives a token of the vocabulary of ``law`` everything."""
    return Distribution({each: Fraction(each == token) for each in law})


def likeliest(law: Distribution) -> Token:
    """Return the token that greedy decoding takes; of equals, the first."""
    return max(law, key=lambda token: law[token])


def envelope_acceptance(target: Distribution, draft: Distribution) -> Fraction:
    """Return the acceptance rate of classical rejection sampling, which retries when it rejects.

    1 / max(target / draft), 0 if the draft misses a token that the target has; von Neumann 1951.
    """
    if any(target[token] and not draft[token] for token in target):
        return Fraction(0)
    return 1 / max(target[token] / draft[token] for token in target if draft[token])


def tokens_of_a_tokens_round(length_law: Row) -> Fraction:
    """Return E[N²] / E[N]: how many tokens the round of a token picked at random commits.

    Args:
        length_law: (P(N = 1), P(N = 2), …).
    """
    return second_moment(length_law) / mean(length_law)


@dataclass(frozen=True, slots=True)
class Belief:
    """What a wrong rule does to one row.

    Attributes:
        target: the row.
        draft: the draft’s.
        law: what is committed instead.
        distance: the total variation distance between them.
    """

    target: Distribution
    draft: Distribution
    law: Row
    distance: Fraction


def _belief(rule: WrongRule, target: Distribution, draft: Distribution) -> Belief:
    law = position_law(rule, target, draft)
    assert law is not None, "these rules commit something"
    return Belief(target, draft, law, total_variation(target.probabilities, law))


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The numbers that put common beliefs right.

    Attributes:
        same_twice: chance that the target, asked twice, gives the same token.
        greedy_rate: acceptance rate of the draft for a target that decodes greedily.
        sums: three floats added in two orders.
        threshold: accepting only what the target likes at least as much.
        resampled: drawing the replacement from the target.
        rate: chance to accept a proposal that is checked, equal at all positions.
        tokens: mean tokens per round at that rate.
        accepted: mean accepted proposals per round.
        accepted_per_proposal: mean accepted proposals, divided by the proposals.
        filled: mean tokens, divided by the most a round can commit.
        rate_times_k: the rate times the proposals, which counts what is never reached.
        rates_of_one_draft: acceptance rates of one draft: for the target, for the target after
            other words, for both at half the temperature, and for both greedy.
        cheap_speedup: of the small draft that agrees less.
        dear_speedup: of the large draft that agrees more.
        positions_per_token: target positions scored for each token committed.
        speedups_by_pass: (price of the pass, speed-up).
        slowest: time of a round that commits one token, in target steps.
        all_accepted: chance of k + 1 tokens.
        mean_of_ratios: of the speed-ups of two rounds, one of them without a draft.
        ratio_of_means: their tokens over their time.
        by_token: mean size of the round that a token is in.
        certain_rate: acceptance rate of a draft that is sure of one token.
        envelope: acceptance rate of classical rejection sampling.
    """

    same_twice: Fraction
    greedy_rate: Fraction
    sums: tuple[float, float]
    threshold: Belief
    resampled: Belief
    rate: Fraction
    tokens: Fraction
    accepted: Fraction
    accepted_per_proposal: Fraction
    filled: Fraction
    rate_times_k: Fraction
    rates_of_one_draft: tuple[Fraction, Fraction, Fraction, Fraction]
    cheap_speedup: Fraction
    dear_speedup: Fraction
    positions_per_token: Fraction
    speedups_by_pass: tuple[tuple[Fraction, Fraction], ...]
    slowest: Fraction
    all_accepted: Fraction
    mean_of_ratios: Fraction
    ratio_of_means: Fraction
    by_token: Fraction
    certain_rate: Fraction
    envelope: Fraction


def beliefs() -> Beliefs:
    """Return the numbers that put common beliefs right."""
    rates = [RATE] * K
    law = committed_length_law(rates)
    tokens = expected_tokens(rates)
    greedy = certain(TARGET, likeliest(TARGET))
    two_rounds = ((1, 0), (K + 1, K))  # (tokens, proposals)
    return Beliefs(
        same_twice=coincidence(TARGET),
        greedy_rate=acceptance_rate(greedy, DRAFT),
        sums=((0.1 + 0.2) + 0.3, 0.1 + (0.2 + 0.3)),
        threshold=_belief(
            THRESHOLD,
            Distribution({"a": "1/2", "b": "1/2"}),
            Distribution({"a": "3/4", "b": "1/4"}),
        ),
        resampled=_belief(RESAMPLES_TARGET, TARGET, DRAFT),
        rate=RATE,
        tokens=tokens,
        accepted=tokens - 1,
        accepted_per_proposal=(tokens - 1) / K,
        filled=tokens / (K + 1),
        rate_times_k=RATE * K,
        rates_of_one_draft=(
            acceptance_rate(TARGET, DRAFT),
            acceptance_rate(OTHER_TARGET, DRAFT),
            acceptance_rate(sharpened(TARGET, 2), sharpened(DRAFT, 2)),
            acceptance_rate(greedy, certain(DRAFT, likeliest(DRAFT))),
        ),
        cheap_speedup=CHEAP[1].speedup([CHEAP[0]] * T5_K),
        dear_speedup=DEAR[1].speedup([DEAR[0]] * T5_K),
        positions_per_token=positions_per_token(rates),
        speedups_by_pass=tuple(
            (Fraction(price), CostModel(PRICES.draft_step, price).speedup(rates))
            for price in (1, 2, K + 1)
        ),
        slowest=PRICES.round_cost(K),
        all_accepted=law[-1],
        mean_of_ratios=sum((PRICES.round_speedup(*each) for each in two_rounds), start=Fraction(0))
        / len(two_rounds),
        ratio_of_means=sum(got for got, _ in two_rounds)
        / sum((PRICES.round_cost(k) for _, k in two_rounds), start=Fraction(0)),
        by_token=tokens_of_a_tokens_round(law),
        certain_rate=acceptance_rate(TARGET, certain(DRAFT, likeliest(DRAFT))),
        envelope=envelope_acceptance(TARGET, DRAFT),
    )
