"""Contenders take turns; what a turn took is kept."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median
from time import perf_counter
from typing import Any

from tests.benchmarks.inputs import Rows

SIGMAS = 6
"""How far the mean of a contender's rounds may be from the exact one; by chance twice in 10⁹."""


@dataclass(frozen=True)
class Contender:
    """Something that plays rounds.

    Attributes:
        name: a key of `tests.benchmarks.contenders.LABELS`.
        rounds: how many rounds one run plays.
        run: plays them.
        committed: turns what ``run`` returns into the number of tokens committed, to check that
            it plays the rounds it is timed for; None where there is nothing to check.
        batch: rounds in one call, None where a call has no such limit.
    """

    name: str
    rounds: int
    run: Callable[[], Any]
    committed: Callable[[Any], int] | None = None
    batch: int | None = None


@dataclass(frozen=True)
class Times:
    """What the repetitions of one contender took.

    Attributes:
        contender: whose they are.
        seconds: of each repetition.
    """

    contender: Contender
    seconds: tuple[float, ...]

    @property
    def least(self) -> float:
        """Nanoseconds per round in the quickest repetition."""
        return min(self.seconds) / self.contender.rounds * 1e9

    @property
    def middle(self) -> float:
        """Nanoseconds per round in the median repetition."""
        return median(self.seconds) / self.contender.rounds * 1e9


def once(contender: Contender) -> float:
    """Return the seconds of one run."""
    gc.collect()
    gc.disable()  # as `timeit` does: a collection would fall to whoever's turn it is
    try:
        start = perf_counter()
        contender.run()
        return perf_counter() - start
    finally:
        gc.enable()


def take_turns(contenders: Sequence[Contender], repetitions: int) -> list[Times]:
    """Time every contender ``repetitions`` times, one after the other in each repetition.

    So a slow spell of the machine meets all of them, and each repetition begins with another.
    """
    seconds: list[list[float]] = [[] for _ in contenders]
    for repetition in range(repetitions):
        for turn in range(len(contenders)):
            index = (repetition + turn) % len(contenders)
            seconds[index].append(once(contenders[index]))
    return [
        Times(contender, tuple(each)) for contender, each in zip(contenders, seconds, strict=True)
    ]


def warm_up(contender: Contender, rows: Rows | None = None) -> None:
    """Run it once untimed and check the mean length of its rounds.

    Args:
        contender: what to run.
        rows: the distributions of its rounds, None where they have no single mean.

    Raises:
        RuntimeError: the mean is not that of speculative decoding.
    """
    result = contender.run()
    if contender.committed is None or rows is None:
        return
    expected, variance = rows.committed
    mean = contender.committed(result) / contender.rounds
    if abs(mean - expected) > SIGMAS * sqrt(variance / contender.rounds):
        raise RuntimeError(
            f"{contender.name}: expected rounds of {expected:.4f} tokens on average, got {mean:.4f}"
        )
