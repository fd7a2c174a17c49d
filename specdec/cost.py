"""What a round costs, and the speed-up that follows.

The unit is one ordinary step of the target model. The one assumption: scoring all k + 1 positions
of a round in one pass costs ``verify_pass`` such steps, however large k is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from specdec.errors import SpecdecError
from specdec.exact import Exact, exact_fraction, listed, require_count, shown_number
from specdec.expectations import committed_length_law, expected_tokens


@dataclass(frozen=True, slots=True)
class Step:
    """Something that takes time.

    Attributes:
        name: ``draft step`` or ``checking pass``.
        start: in ordinary target steps from the beginning of the round; ``end`` likewise.
        end: when it is over.
    """

    name: str
    start: Fraction
    end: Fraction


@dataclass(frozen=True, slots=True)
class CostModel:
    """Prices in ordinary target steps.

    Attributes:
        draft_step: cost of drafting one token, >= 0.
        verify_pass: cost of the pass that scores all k + 1 positions, > 0.
    """

    draft_step: Fraction
    verify_pass: Fraction

    def __init__(self, draft_step: Exact, verify_pass: Exact) -> None:
        """Read both prices.

        Raises:
            SpecdecError: a price that is no exact number or is out of range.
        """
        step = exact_fraction(draft_step, "draft_step")
        if step < 0:
            raise SpecdecError(f"draft_step: expected >= 0, got {shown_number(step)}")
        verify = exact_fraction(verify_pass, "verify_pass")
        if verify <= 0:
            raise SpecdecError(f"verify_pass: expected > 0, got {shown_number(verify)}")
        object.__setattr__(self, "draft_step", step)
        object.__setattr__(self, "verify_pass", verify)

    def round_cost(self, k: int) -> Fraction:
        """Return the price of a round of ``k`` proposals: k drafts and one verifying pass.

        Raises:
            SpecdecError: ``k`` is no whole number >= 0.
        """
        require_count("k", k)
        return k * self.draft_step + self.verify_pass

    def speedup(self, rates: Iterable[Exact]) -> Fraction:
        """Return tokens per unit of cost, relative to one token per target step.

        E[N] / cost of a round: mean tokens over mean cost, which is what a long generation tends to
        when every round starts again with the same rows. Leviathan et al. 2023, Theorem 3.8, for
        equal rates and ``verify_pass`` 1.

        Args:
            rates: acceptance rate of each of the k positions.

        Raises:
            SpecdecError: a rate that is no exact number in [0, 1].
        """
        rates = listed(rates, "rates")
        return expected_tokens(rates) / self.round_cost(len(rates))

    def round_steps(self, k: int) -> tuple[Step, ...]:
        """Return the steps of a round of ``k`` proposals in the order in which they take time.

        Raises:
            SpecdecError: ``k`` is no whole number >= 0.
        """
        require_count("k", k)
        starts = [self.draft_step * number for number in range(k + 1)]
        drafts = (Step("draft step", start, end) for start, end in pairwise(starts))
        return (*drafts, Step("checking pass", starts[-1], self.round_cost(k)))

    def round_speedup(self, tokens: int, k: int) -> Fraction:
        """Return what one round gains that commits ``tokens`` tokens; `speedup` is the long run's.

        Raises:
            SpecdecError: a number that is no whole number >= 0.
        """
        require_count("tokens", tokens)
        return tokens / self.round_cost(k)

    def round_saves(self, tokens: int, k: int) -> Fraction:
        """Return the time that one round saves, in target steps; below 0 where it takes longer.

        One at a time, each of its tokens takes a step.

        Raises:
            SpecdecError: a number that is no whole number >= 0.
        """
        require_count("tokens", tokens)
        return tokens - self.round_cost(k)

    def best_draft_length(self, rate: Exact, most: int) -> int:
        """Return the number of proposals, 1 to ``most``, with the highest speed-up.

        All positions have the same acceptance rate. Of equals, the smallest.

        Raises:
            SpecdecError: ``most`` is no whole number >= 1, or a rate that is no exact number in
                [0, 1].

        >>> CostModel("1/10", 1).best_draft_length("4/5", 16)
        6
        """
        require_count("most", most)
        if most < 1:
            raise SpecdecError(f"most: expected >= 1, got {most}")
        return max(range(1, most + 1), key=lambda k: self.speedup([rate] * k))  # the first maximum

    def break_even_draft_step(self, rates: Iterable[Exact]) -> Fraction:
        """Return the draft price at which speculating costs just what it saves.

        A draft pays iff E[N] > k·draft_step + verify_pass, that is below this price. Negative
        when even a free draft would not pay.

        Raises:
            SpecdecError: no positions, or a rate that is no exact number in [0, 1].
        """
        rates = listed(rates, "rates")
        if not rates:
            raise SpecdecError("rates: expected at least one position, got none")
        return (expected_tokens(rates) - self.verify_pass) / len(rates)


def expected_passes(rates: Iterable[Exact], tokens: int) -> Fraction:
    """Return the mean number of target passes until ``tokens`` tokens are committed.

    By renewal: M(L) = 1 + Σ_n P(N = n)·M(L - n), with M(L) = 0 for L <= 0. Every round starts
    again at the first position; tokens beyond the last one asked for are discarded.

    Raises:
        SpecdecError: ``tokens`` is no whole number >= 0, or a rate out of range.

    >>> expected_passes(["4/5"] * 4, 5)
    Fraction(9, 5)
    """
    require_count("tokens", tokens)
    law = committed_length_law(rates)
    passes = [Fraction(0)]
    for missing in range(1, tokens + 1):
        passes.append(
            1
            + sum(
                (
                    chance * passes[missing - n]
                    for n, chance in enumerate(law[: missing - 1], start=1)
                ),
                start=Fraction(0),
            )
        )
    return passes[tokens]


def positions_per_token(rates: Iterable[Exact]) -> Fraction:
    """Return the mean number of target positions scored per committed token: (k + 1) / E[N].

    One at a time it is 1, so this is the factor by which the target's arithmetic grows.
    Leviathan et al. 2023, Theorem 3.11, gives it with equal rates and the draft's share added.

    Raises:
        SpecdecError: a rate that is no exact number in [0, 1].
    """
    rates = listed(rates, "rates")
    return (len(rates) + 1) / expected_tokens(rates)


@dataclass(frozen=True, slots=True)
class DecodingCost:
    """What it takes to generate as many tokens as a round has proposals.

    Attributes:
        case: ``one at a time``, ``best``, ``average`` or ``worst``.
        passes: sequential passes of the target.
        positions_scored: target distributions computed, the target's arithmetic.
        draft_steps: draft distributions computed.
        time: in ordinary target steps.
    """

    case: str
    passes: Fraction
    positions_scored: Fraction
    draft_steps: Fraction
    time: Fraction


def cost_table(rates: Iterable[Exact], cost: CostModel) -> tuple[DecodingCost, ...]:
    """Return the cost of k tokens in rounds of k proposals, k the number of ``rates``.

    Best: every proposal accepted, one pass (which yields k + 1 tokens). Average: by
    `expected_passes`. Worst: the first proposal of every round rejected, k passes.

    Raises:
        SpecdecError: a rate that is no exact number in [0, 1].
    """
    rates = listed(rates, "rates")
    k = len(rates)

    def in_rounds(case: str, passes: Fraction) -> DecodingCost:
        return DecodingCost(case, passes, passes * (k + 1), passes * k, passes * cost.round_cost(k))

    alone = Fraction(k)
    return (
        DecodingCost("one at a time", alone, alone, Fraction(0), alone),
        in_rounds("best", Fraction(1)),
        in_rounds("average", expected_passes(rates, k)),
        in_rounds("worst", Fraction(k)),
    )
