"""Everything exact there is to say about one profile, by the closed forms and its one round."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from specdec.distribution import Token
from specdec.expectations import committed_length_law, expected_tokens, variance
from specdec.profiles import Profile, Scenario
from specdec.rounds import Round, speculative_round
from specdec.verification import accept_probability, acceptance_rate


@dataclass(frozen=True, slots=True)
class ProfileReport:
    """The exact results of one profile.

    Attributes:
        id: the profile's id.
        title: its title.
        acceptance_rates: chance of acceptance per position, averaged over all proposals.
        committed_length_law: (P(N = 1), …, P(N = k + 1)) for the tokens N of a round.
        expected_tokens: E[N], tokens per round.
        variance: Var(N), tokens squared.
        round_cost: price of a round, in ordinary target steps.
        speedup: E[N] / round_cost, relative to one token per target step.
        round: the round that the profile's proposals and draws play.
    """

    id: str
    title: str
    acceptance_rates: tuple[Fraction, ...]
    committed_length_law: tuple[Fraction, ...]
    expected_tokens: Fraction
    variance: Fraction
    round_cost: Fraction
    speedup: Fraction
    round: Round

    def as_json(self) -> dict[str, object]:
        """Return the report as JSON values, fractions as ``"n/d"`` strings."""
        return {
            "id": self.id,
            "acceptance_rates": [str(rate) for rate in self.acceptance_rates],
            "committed_length_law": [str(chance) for chance in self.committed_length_law],
            "expected_tokens": str(self.expected_tokens),
            "variance": str(self.variance),
            "round_cost": str(self.round_cost),
            "speedup": str(self.speedup),
            "frames": [frame.kind for frame in self.round.frames],
            "committed": list(self.round.committed),
        }


def report(scenario: Scenario, profile: Profile) -> ProfileReport:
    """Compute the exact results of one profile of a scenario."""
    rates = tuple(map(acceptance_rate, scenario.target, profile.draft))
    law = committed_length_law(rates)
    return ProfileReport(
        id=profile.id,
        title=profile.title,
        acceptance_rates=rates,
        committed_length_law=law,
        expected_tokens=expected_tokens(rates),
        variance=variance(law),
        round_cost=scenario.cost_model.round_cost(len(rates)),
        speedup=scenario.cost_model.speedup(rates),
        round=speculative_round(
            scenario.target, scenario.bonus, profile.draft, profile.proposals, profile.draws
        ),
    )


def dropped_though_certain(
    scenario: Scenario, profile: Profile, played: Round
) -> tuple[Token, ...]:
    """Return the dropped proposals that any draw would have accepted, had they been checked."""
    checked = len(profile.proposals) - len(played.frames[-1].dropped)
    return tuple(
        token
        for target, draft, token in list(
            zip(scenario.target, profile.draft, profile.proposals, strict=True)
        )[checked:]
        if accept_probability(target, draft, token) == 1
    )
