"""The sampler's plain counterpart: one round after the other, in Python over lists of floats."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

Row = Sequence[float]
"""Probabilities in vocabulary order."""

Source = Callable[[], float]
"""Gives the next random number in [0, 1)."""

Counts = tuple[list[list[int]], list[int]]
"""What a `Tally` holds: tokens committed per position and bonus, and rounds per length."""


@dataclass(frozen=True)
class Sources:
    """Where the random numbers come from, for each place where a round takes one.

    Attributes:
        proposals: one source per position.
        acceptance: one source per position.
        endings: one source per position, for its replacements, and one for the bonus.
    """

    proposals: Sequence[Source]
    acceptance: Sequence[Source]
    endings: Sequence[Source]


def plain_rounds(
    target: Sequence[Row], bonus: Row, draft: Sequence[Row], rounds: int, random: Source
) -> Counts:
    """Play rounds that take all their random numbers from one source, and count."""
    k = len(target)
    one_source = Sources([random] * k, [random] * k, [random] * (k + 1))
    return play(target, bonus, draft, rounds, one_source)


def play(
    target: Sequence[Row], bonus: Row, draft: Sequence[Row], rounds: int, sources: Sources
) -> Counts:
    """Play rounds, each place with a source of its own, and count."""
    k = len(target)
    counts = [[0] * len(bonus) for _ in range(k + 1)]
    lengths = [0] * (k + 1)
    positions = [
        (
            n,
            counts[n],
            sources.proposals[n],
            ends(draft[n]),
            sources.acceptance[n],
            acceptance(target[n], draft[n]),
            sources.endings[n],
            ends(leftover(target[n], draft[n])),
        )
        for n in range(k)
    ]
    last, bonus_ends = sources.endings[k], ends(bonus)
    for _ in range(rounds):
        for n, count, propose, proposals, decide, limits, replace, replacements in positions:
            token = bisect(proposals, propose())
            if decide() < limits[token]:
                count[token] += 1
            else:
                count[bisect(replacements, replace())] += 1
                lengths[n] += 1
                break
        else:
            counts[k][bisect(bonus_ends, last())] += 1
            lengths[k] += 1
    return counts, lengths


def ends(row: Row) -> list[float]:
    """Return where each token's cell ends: at exactly 1 from the last possible token on."""
    sums = list(accumulate(row))
    return [each / sums[-1] for each in sums] if sums[-1] else sums


def acceptance(target: Row, draft: Row) -> list[float]:
    """Return the chance to accept each token, 0 where the draft never proposes it."""
    return [
        min(1.0, wanted / offered) if offered else 0.0
        for wanted, offered in zip(target, draft, strict=True)
    ]


def leftover(target: Row, draft: Row) -> list[float]:
    """Return max(0, target - draft) of each token."""
    return [max(0.0, wanted - offered) for wanted, offered in zip(target, draft, strict=True)]
