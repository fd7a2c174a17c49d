"""Many rounds at once: the mechanism itself, vectorised over rounds with NumPy.

What one round does is in `specdec.rounds`. Here nothing runs per round in Python: each position
draws proposals, acceptances and replacements for all the rounds that reach it. Which rounds those
are does not matter, only in which order they take their numbers.

Rounds come in blocks of `BLOCK`. Block b has the seed ``SeedSequence(seed).spawn(b + 1)[b]``, whose
three children seed one SFC64 generator each:

0. proposals: one number per attempted position;
1. acceptance: one number per attempted position;
2. replacement or bonus: one number per round.

A block goes through the positions in order and, at each, through the rounds that reached it in
order; each takes the next number of the generator. So a tally depends on the seed and the number of
rounds alone, not on the number of workers, and a longer run begins with the full blocks of a
shorter one. No number decides two things: that would bias the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import add
from threading import Event, Lock
from typing import TypeAlias

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

from specdec.attempts import Attempt, ExactAttempt, FloatAttempt
from specdec.choices import Choice, Floats, Integers
from specdec.distribution import Distribution, require_one_vocabulary
from specdec.errors import SpecdecError, shown
from specdec.exact import listed, require_count
from specdec.float_rows import read_rows

Seed: TypeAlias = int | SeedSequence
Progress: TypeAlias = Callable[[int], object]
"""Told how many rounds were just finished; called from one thread at a time."""

BLOCK = 2**18
"""Rounds that share a seed: enough to make seeding cost one part in a hundred."""

CHUNK = 2**14
"""Numbers drawn at a time: 128 kB, so that what is done with them stays in the cache.

Of no effect on results.
"""

MOST_ROUNDS = 10**18
"""More could not be counted in 64 bits, nor be waited for."""

MOST_WORKERS = 64
"""Threads beyond these are not started; of no effect on results either."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What many rounds committed.

    Attributes:
        counts: shape (k + 1, V): how often position j committed token x, replacements included;
            the last row counts the bonus tokens. A row sums to the rounds that reached it.
        lengths: shape (k + 1,): ``lengths[n - 1]`` rounds committed n tokens.
    """

    counts: Integers
    lengths: Integers

    @property
    def rounds(self) -> int:
        """How many rounds there were."""
        return int(self.lengths.sum())

    def __add__(self, other: Tally) -> Tally:
        """Return the tally of both together."""
        return Tally(self.counts + other.counts, self.lengths + other.lengths)

    def __eq__(self, other: object) -> bool:
        """Say whether both counted the same."""
        if not isinstance(other, Tally):
            return NotImplemented
        return np.array_equal(self.counts, other.counts) and np.array_equal(
            self.lengths, other.lengths
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can change


def sample_rounds(
    target: Iterable[Distribution],
    bonus: Distribution,
    draft: Iterable[Distribution],
    rounds: int,
    seed: Seed,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Tally:
    """Play rounds with fresh random numbers and tally every committed token.

    Each decision is exactly the one that `speculative_round` takes on the same numbers.

    Args:
        target: the k target distributions, one per position.
        bonus: the target distribution after the last position.
        draft: the k draft distributions.
        rounds: how many, >= 0.
        seed: a whole number >= 0, or a SeedSequence; the same seed gives the same tally.
        workers: threads, >= 1; any number gives the same tally.
        progress: told of every finished block.

    Raises:
        SpecdecError: lengths or vocabularies that differ, or a count that is none.
    """
    target, draft = listed(target, "target"), listed(draft, "draft")
    if len(draft) != len(target):
        raise SpecdecError(f"draft: expected {len(target)}, one per target row, got {len(draft)}")
    require_one_vocabulary(bonus, *target, *draft)
    positions = list(map(ExactAttempt, target, draft))
    return _sample(positions, Choice.exact(bonus), len(bonus), rounds, seed, workers, progress)


def sample_path(
    target: Sequence[Distribution],
    bonus: Distribution,
    draft: Sequence[Distribution],
    checkpoints: Sequence[int],
    seed: int,
) -> tuple[Tally, ...]:
    """Play one run of rounds and return its tally at each checkpoint.

    The rounds up to checkpoint i, from 0, have the seed ``SeedSequence(seed).spawn(i + 1)[i]``.

    Args:
        target: the k target distributions; `bonus` and `draft` as in `sample_rounds`.
        bonus: the target distribution after the last position.
        draft: the k draft distributions.
        checkpoints: numbers of rounds, none smaller than the one before it.
        seed: a whole number >= 0.

    Raises:
        SpecdecError: as `sample_rounds`.
    """
    _require_seed(seed)
    checkpoints = listed(checkpoints, "checkpoints")
    for number, rounds in enumerate(checkpoints, start=1):
        require_count(f"checkpoint {number}", rounds)
    if list(checkpoints) != sorted(checkpoints):
        raise SpecdecError(f"checkpoints: expected none below the last, got {shown(checkpoints)}")
    steps = (here - before for before, here in pairwise([0, *checkpoints]))
    return tuple(
        accumulate(
            (
                sample_rounds(target, bonus, draft, step, _child(seed, number))
                for number, step in enumerate(steps)
            ),
            add,
        )
    )


def sample_rows(
    target: Floats,
    bonus: Floats,
    draft: Floats,
    rounds: int,
    seed: Seed,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Tally:
    """Do what `sample_rounds` does on float64 rows, for vocabularies of any size.

    Each row is divided by its sum, which has to be 1 within `float_rows.SUM_TOLERANCE`. Of a row no
    more is computed than the rounds turn out to need.

    Args:
        target: shape (k, V).
        bonus: shape (V,).
        draft: shape (k, V).
        rounds: how many, >= 0.
        seed: a whole number >= 0, or a SeedSequence; the same seed gives the same tally.
        workers: threads, >= 1; any number gives the same tally.
        progress: told of every finished block.

    Raises:
        SpecdecError: arrays of another type or shape, negative numbers or such as are not finite,
            sums other than 1; or a count that is none.
    """
    rows = read_rows(target, bonus, draft)
    positions = list(map(FloatAttempt, rows["target"], rows["draft"]))
    return _sample(positions, rows["bonus"][0], bonus.size, rounds, seed, workers, progress)


def _sample(
    positions: Sequence[Attempt],
    bonus: Choice,
    vocabulary: int,
    rounds: int,
    seed: Seed,
    workers: int,
    progress: Progress | None,
) -> Tally:
    """Share the blocks out among the workers and add up what they counted."""
    require_rounds(rounds)
    _require_seed(seed)
    require_count("workers", workers)
    if workers == 0:
        raise SpecdecError("workers: expected at least 1, got 0")
    blocks = -(-rounds // BLOCK)
    workers = min(workers, max(blocks, 1), MOST_WORKERS)
    stop, one_at_a_time = Event(), Lock()

    def share(first: int) -> Tally:
        """Play every ``workers``-th block: the memory needed does not grow with the rounds."""
        shape = len(positions) + 1, vocabulary
        tally = Tally(np.zeros(shape, np.int64), np.zeros(shape[0], np.int64))
        try:
            for block in range(first, blocks, workers):
                if stop.is_set():
                    break
                size = min(BLOCK, rounds - block * BLOCK)
                _play(positions, bonus, size, _child(seed, block), tally)
                if progress:
                    with one_at_a_time:
                        progress(size)
        except BaseException:
            stop.set()  # or the others would play all that is left
            raise
        return tally

    if workers == 1:
        return share(0)
    with ThreadPoolExecutor(workers) as pool:
        try:
            first, *others = pool.map(share, range(workers))
        except BaseException:
            stop.set()  # an interruption comes to this thread
            raise
    return sum(others, start=first)


def _play(
    positions: Sequence[Attempt],
    bonus: Choice,
    rounds: int,
    seed: SeedSequence,
    tally: Tally,
) -> None:
    """Play one block and add what it commits to ``tally``."""
    proposing, accepting, ending = (Generator(SFC64(child)) for child in seed.spawn(3))
    vocabulary = tally.counts.shape[1]
    alive = rounds
    for number, position in enumerate(positions):
        committed = tally.counts[number]
        stopped = 0
        for size in _chunks(alive, vocabulary):
            rejected = position.check(proposing.random(size), accepting.random(size), committed)
            if rejected:
                position.replacements.count(ending.random(rejected), committed)
            stopped += rejected
        tally.lengths[number] += stopped
        alive -= stopped
    for size in _chunks(alive, vocabulary):
        bonus.count(ending.random(size), tally.counts[-1])
    tally.lengths[-1] += alive


def _chunks(rounds: int, vocabulary: int) -> Iterator[int]:
    """Yield the sizes of chunks; counting costs a pass over the vocabulary for each."""
    size = max(CHUNK, vocabulary)
    yield from (min(size, rounds - start) for start in range(0, rounds, size))


def require_rounds(rounds: object) -> None:
    """Refuse what is no number of rounds to play.

    Raises:
        SpecdecError: no whole number >= 0, or more than `MOST_ROUNDS`.
    """
    require_count("rounds", rounds)
    if isinstance(rounds, int) and rounds > MOST_ROUNDS:
        raise SpecdecError(f"rounds: expected at most {MOST_ROUNDS:,}, got {shown(rounds)}")


def _require_seed(seed: Seed) -> None:
    if not isinstance(seed, SeedSequence):
        require_count("seed", seed)


def _child(seed: Seed, block: int) -> SeedSequence:
    """Return the seed of a block: child ``block`` of a sequence that has not spawned yet."""
    if isinstance(seed, SeedSequence):
        key = *seed.spawn_key, block
        return SeedSequence(seed.entropy, spawn_key=key, pool_size=seed.pool_size)
    return SeedSequence(seed, spawn_key=(block,))
