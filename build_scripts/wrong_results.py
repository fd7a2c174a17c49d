"""What each wrong rule does to each profile of the site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

from build_scripts.cache import remembered
from build_scripts.profile_results import ProfileResults
from specdec.distribution import Token
from specdec.wrong_rules import WRONG_RULES, Effect, WrongRule, effect, shifts

MOST_TOKENS = 200
"""Larger vocabularies are left out: some of these laws take every pair of tokens."""


@dataclass(frozen=True, slots=True)
class RuleResults:
    """One wrong rule on every profile.

    Attributes:
        rule: what is wrong.
        effects: what comes of it, profile by profile.
    """

    rule: WrongRule
    effects: tuple[tuple[ProfileResults, Effect], ...]

    @property
    def most(self) -> tuple[ProfileResults, Effect] | None:
        """The profile on which a position's law is farthest off, if it is on any."""
        off = [each for each in self.effects if each[1].worst[1]]
        return max(off, key=lambda each: each[1].worst[1], default=None)

    def shows_like(self, other: RuleResults) -> bool:
        """Say whether both show most at one position of one profile, with the same law there."""
        if self.most is None or other.most is None:
            return False
        (this, done), (that, done_there) = self.most, other.most
        same_place = this is that and done.worst[0] == done_there.worst[0]
        return same_place and self.rows == other.rows

    @property
    def unseen(self) -> tuple[ProfileResults, ...]:
        """The profiles on which nothing is wrong."""
        return tuple(this for this, done in self.effects if not done.shows)

    @property
    def length_distance(self) -> Fraction:
        """The largest distance of the law of N from the right one, over all profiles."""
        return max((done.length_distance for _, done in self.effects), default=Fraction(0))

    @property
    def rows(self) -> tuple[tuple[Token, Fraction, Fraction, Fraction], ...]:
        """(token, target, wrong law, difference) where the law is farthest off."""
        if self.most is None:
            return ()
        this, done = self.most
        position, _distance = done.worst
        target = (*this.scenario.target, this.scenario.bonus)[position - 1]
        law = done.laws[position - 1]
        assert law is not None, "a position without a law has no distance"
        return shifts(target, law)


def rule_results(
    profiles: Sequence[ProfileResults], cache: Path, engine: bytes
) -> dict[str, RuleResults]:
    """Return what every wrong rule does to profiles of at most `MOST_TOKENS`, by the rule's id."""
    profiles = [each for each in profiles if len(each.scenario.vocabulary) <= MOST_TOKENS]
    effects = [_effects(this, cache, engine) for this in profiles]
    return {
        rule.id: RuleResults(
            rule,
            tuple(
                (this, by_rule[rule.id]) for this, by_rule in zip(profiles, effects, strict=True)
            ),
        )
        for rule in WRONG_RULES
    }


def _effects(this: ProfileResults, cache: Path, engine: bytes) -> dict[str, Effect]:
    rows = (this.scenario.target, this.scenario.bonus, this.profile.draft)
    computed = remembered(
        cache / "wrong",
        this.profile.id,
        (engine, repr(rows).encode()),
        lambda: {rule.id: asdict(effect(rule, *rows)) for rule in WRONG_RULES},
    )
    return {
        name: Effect(
            laws=tuple(parts["laws"]),
            distances=tuple(parts["distances"]),
            silent=tuple(parts["silent"]),
            length_law=parts["length_law"],
            length_distance=parts["length_distance"],
        )
        for name, parts in computed.items()
    }
