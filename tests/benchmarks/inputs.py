"""The distributions that are measured on, and what a round of them consumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec import Distribution, load

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

PROFILES = Path(__file__).resolve().parent.parent.parent / "data" / "profiles.v1.json"


@dataclass(frozen=True)
class Rows:
    """The distributions of one kind of round, as floats.

    Attributes:
        target: shape (k, V).
        bonus: shape (V,).
        draft: shape (k, V).
    """

    target: Floats
    bonus: Floats
    draft: Floats

    @property
    def k(self) -> int:
        return len(self.target)

    @property
    def vocabulary(self) -> int:
        return self.bonus.size

    @cached_property
    def rates(self) -> Floats:
        """The acceptance rates, shape (k,)."""
        rates: Floats = np.minimum(self.target, self.draft).sum(axis=1)
        return rates

    @cached_property
    def survival(self) -> Floats:
        """The chances that the first 0, 1, …, k proposals are accepted, shape (k + 1,)."""
        return np.cumprod(np.concatenate([[1.0], self.rates]))

    @property
    def uniforms(self) -> float:
        """Mean random numbers a round: two per attempted position, one for the last token."""
        return 2 * float(self.survival[:-1].sum()) + 1

    @property
    def committed(self) -> tuple[float, float]:
        """Mean and variance of the tokens that a round commits."""
        law = self.survival - np.append(self.survival[1:], 0)
        lengths = np.arange(1, law.size + 1)
        mean = float(law @ lengths)
        return mean, float(law @ (lengths - mean) ** 2)

    def proposals(self, rounds: int, seed: int) -> Integers:
        """Draw what the draft proposes, for contenders that are given it; shape (rounds, k)."""
        numbers = np.random.default_rng(seed).random((self.k, rounds))
        edges = self.draft.cumsum(axis=1)
        edges /= edges[:, -1:]  # so that every number is below the last edge
        picked = map(lambda ends, drawn: ends.searchsorted(drawn, side="right"), edges, numbers)
        return np.stack(list(picked), axis=1).astype(np.int64)


@dataclass(frozen=True)
class Exact:
    """The distributions of one kind of round, exactly: k targets, a bonus and k drafts."""

    target: tuple[Distribution, ...]
    bonus: Distribution
    draft: tuple[Distribution, ...]

    @property
    def rows(self) -> Rows:
        return Rows(
            np.array([_floats(law) for law in self.target]),
            np.array(_floats(self.bonus)),
            np.array([_floats(law) for law in self.draft]),
        )


def shipped(profile: str) -> Exact:
    """Return the distributions of a profile of ``data/profiles.v1.json``, by its id."""
    scenario = load(PROFILES)
    draft = next(each.draft for each in scenario.profiles if each.id == profile)
    return Exact(tuple(scenario.target), scenario.bonus, tuple(draft))


def random_rows(vocabulary: int, rates: Sequence[float], seed: int) -> Rows:
    """Return uneven random rows with given acceptance rates.

    Weights are squared exponential numbers: a few tokens have most of the weight. The draft is the
    target mixed with another such row, in the share that gives the rate.

    Args:
        vocabulary: V, at least 2.
        rates: the k acceptance rates, each in [0.7, 1).
        seed: fixes all rows.
    """
    generator = np.random.default_rng(seed)
    target = np.stack([_law(generator, vocabulary) for _ in range(len(rates) + 1)])
    draft = np.empty((len(rates), vocabulary))
    for row, rate in enumerate(rates):
        distance = 0.0
        while distance < 1 - rate:  # of two tokens, two rows can be too near each other
            other = _law(generator, vocabulary)
            distance = float(np.abs(target[row] - other).sum()) / 2
        share = (1 - rate) / distance
        draft[row] = (1 - share) * target[row] + share * other
    return Rows(target[:-1], target[-1], draft)


def exactly(rows: Rows, whole: int = 1024) -> Exact:
    """Return rows rounded to fractions with the denominator ``whole``, a power of two.

    Their floats are then the same numbers.
    """
    return Exact(
        tuple(_distribution(row, whole) for row in rows.target),
        _distribution(rows.bonus, whole),
        tuple(_distribution(row, whole) for row in rows.draft),
    )


def _law(generator: np.random.Generator, vocabulary: int) -> Floats:
    weights: Floats = generator.standard_exponential(vocabulary) ** 2
    weights /= weights.sum()
    return weights


def _distribution(row: Floats, whole: int) -> Distribution:
    parts = np.floor(row * whole).astype(np.int64)
    parts[parts.argmax()] += whole - parts.sum()
    return Distribution({token: Fraction(part, whole) for token, part in enumerate(parts.tolist())})


def _floats(law: Distribution) -> list[float]:
    return [float(probability) for probability in law.probabilities]
