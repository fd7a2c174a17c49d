"""The sampler, draw for draw: against a plain loop, against the exact engine, against itself."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import tracemalloc
from bisect import bisect
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from numpy.random import SFC64, Generator, SeedSequence
from numpy.typing import NDArray

import specdec
from specdec import (
    Distribution,
    Draws,
    SpecdecError,
    accept_probability,
    attempts,
    choices,
    sample_rounds,
    sample_rows,
    sampling,
    speculative_round,
)
from specdec.choices import Choice, Row, threshold
from specdec.sampling import BLOCK, Tally, sample_path
from tests.plain_sampler import Counts, Sources, plain_rounds, play
from tests.shipped import SHIPPED, Rows
from tests.strategies import fractions_in_unit

Floats: TypeAlias = NDArray[np.float64]
Arrays: TypeAlias = tuple[Floats, Floats, Floats]

GRID = 2**53
"""The random numbers are multiples of 1 / GRID in [0, 1)."""


# Rows to play


def one_hot(token: int, vocabulary: int) -> Distribution:
    """Return the law that always picks one token."""
    return Distribution({each: int(each == token) for each in range(vocabulary)})


def random_law(random: Random, vocabulary: int) -> Distribution:
    """Return a law whose denominator is no power of two, one token in four impossible."""
    weights = [random.choice((0, 1, 2, random.randint(3, 50))) for _ in range(vocabulary)]
    weights[random.randrange(vocabulary)] += 1
    return Distribution.from_numerators(range(vocabulary), weights, sum(weights))


def random_rows(k: int, vocabulary: int, seed: int) -> Rows:
    """Return rows that have little to do with each other."""
    random = Random(seed)
    target, draft = (
        tuple(random_law(random, vocabulary) for _ in range(k)) for _ in ("target", "draft")
    )
    return target, random_law(random, vocabulary), draft


def close_rows(k: int, vocabulary: int, seed: int) -> Rows:
    """Return rows in which most proposals are accepted: the draft has a tenth of another law."""
    target, bonus, others = random_rows(k, vocabulary, seed)
    draft = tuple(
        Distribution({token: p * Fraction(9, 10) + other[token] / 10 for token, p in law.items()})
        for law, other in zip(target, others, strict=True)
    )
    return target, bonus, draft


SMALL: dict[str, Rows] = SHIPPED | {
    "no positions": random_rows(0, 5, seed=1),
    "one position": random_rows(1, 4, seed=2),
    "thirds and sevenths": random_rows(3, 7, seed=3),
    "close": close_rows(4, 9, seed=4),
    "equal": (random_rows(3, 5, seed=5)[0], one_hot(2, 5), random_rows(3, 5, seed=5)[0]),
    "disjoint": ((one_hot(0, 4), one_hot(3, 4)), one_hot(1, 4), (one_hot(2, 4), one_hot(1, 4))),
    "one token": ((one_hot(0, 1),) * 2, one_hot(0, 1), (one_hot(0, 1),) * 2),
}
LARGE: dict[str, Rows] = {
    "more tokens than are compared one by one": close_rows(3, 40, seed=6),
    "as many tokens as one segment": close_rows(2, 256, seed=7),
    "several segments": close_rows(2, 700, seed=8),
}


def each(cases: dict[str, Rows]) -> pytest.MarkDecorator:
    """Run a test on each of these rows."""
    return pytest.mark.parametrize(
        "rows", [pytest.param(rows, id=id) for id, rows in cases.items()]
    )


def floats(law: Distribution) -> list[float]:
    """Return the probabilities as floats."""
    return list(map(float, law.probabilities))


def arrays(rows: Rows) -> Arrays:
    """Return rows as `sample_rows` takes them."""
    target, bonus, draft = rows
    shape = len(target), len(bonus)
    return (
        np.array(list(map(floats, target))).reshape(shape),
        np.array(floats(bonus)),
        np.array(list(map(floats, draft))).reshape(shape),
    )


def random_arrays(k: int, vocabulary: int, seed: int) -> Arrays:
    """Return float rows as a softmax would."""
    random = np.random.default_rng(seed)
    weights = random.standard_exponential((2 * k + 1, vocabulary)) ** 3
    weights /= weights.sum(axis=1, keepdims=True)
    return weights[:k], weights[k], weights[k + 1 :]


ARRAYS: dict[str, Arrays] = {id: arrays(rows) for id, rows in (SMALL | LARGE).items()} | {
    "as of a softmax": random_arrays(3, 9, seed=9),
    "as of a softmax, several segments": random_arrays(2, 1000, seed=10),
}


# The same numbers for another player


Sampler: TypeAlias = Callable[[int], Tally]
"""Plays so many rounds of the same rows with the same seed."""

Numbers: TypeAlias = tuple[list[list[float]], list[list[float]], list[list[float]]]
"""What the rounds of a block take for proposals, acceptance, and replacements or the bonus."""


def by_block(sampler: Sampler, rounds: int) -> list[Tally]:
    """Return the tally of each block, as what it adds to those before it."""
    ends = [*range(0, rounds, sampling.BLOCK), rounds] if rounds else [0, 0]
    return [
        Tally(longer.counts - shorter.counts, longer.lengths - shorter.lengths)
        for shorter, longer in pairwise(map(sampler, ends))
    ]


def numbers_of(seed: int | SeedSequence, block: int, tally: Tally) -> Numbers:
    """Return the numbers of a block, position by position, each in the order of the rounds.

    The tally says how many numbers each position takes, not which.
    """
    fresh = SeedSequence(seed) if isinstance(seed, int) else seed
    proposing, accepting, ending = (
        Generator(SFC64(child)) for child in fresh.spawn(block + 1)[block].spawn(3)
    )
    reached = tally.counts.sum(axis=1).tolist()
    ended = tally.lengths.tolist()
    return (
        [proposing.random(size).tolist() for size in reached[:-1]],
        [accepting.random(size).tolist() for size in reached[:-1]],
        [ending.random(size).tolist() for size in ended],
    )


def plain(given: Arrays, rounds: int, numbers: Numbers) -> Counts:
    """Play by the plain loop."""
    target, bonus, draft = (rows.tolist() for rows in given)
    sources = Sources(*([iter(part).__next__ for part in parts] for parts in numbers))
    return play(target, bonus, draft, rounds, sources)


def engine(rows: Rows, rounds: int, numbers: Numbers) -> Counts:
    """Play by `speculative_round`, each number as the exact fraction that it is."""
    target, bonus, draft = rows
    proposing, accepting, ending = ([iter(part) for part in parts] for parts in numbers)
    counts = [[0] * len(bonus) for _ in ending]
    lengths = [0] * len(ending)
    for _ in range(rounds):
        proposals = [next(token for token, offered in row.items() if offered) for row in draft]
        accept = [Fraction(0)] * len(draft)
        reached = 0
        for wanted, offered in zip(target, draft, strict=True):  # as far as the numbers go
            proposals[reached] = offered.token_at(Fraction(next(proposing[reached])))
            accept[reached] = Fraction(next(accepting[reached]))
            if accept[reached] >= accept_probability(wanted, offered, proposals[reached]):
                break
            reached += 1
        last = Fraction(next(ending[reached]))
        played = speculative_round(target, bonus, draft, proposals, Draws(accept, last, last))
        assert played.accepted == reached
        lengths[reached] += 1
        for count, token in zip(counts, played.committed, strict=False):
            count[bonus.vocabulary.index(token)] += 1
    return counts, lengths


def lists(tally: Tally) -> Counts:
    """Return a tally as the others count."""
    return tally.counts.tolist(), tally.lengths.tolist()


def set_constants(monkeypatch: pytest.MonkeyPatch, **constants: int) -> None:
    """Set constants of the sampler wherever a module has them."""
    for name, value in constants.items():
        holders = [module for module in (choices, attempts, sampling) if hasattr(module, name)]
        assert holders
        for module in holders:
            monkeypatch.setattr(module, name, value)


# Draw for draw


def test_the_plain_loop_by_hand() -> None:
    """The first round rejects 0 and replaces it by 1, the second accepts it and has a bonus."""
    numbers = iter([0.3, 0.5, 0.1, 0.9, 0.4, 0.0])
    played = plain_rounds([[0.5, 0.5]], [0.0, 1.0], [[1.0, 0.0]], 2, numbers.__next__)
    assert played == ([[1, 1], [0, 1]], [1, 1])
    assert not list(numbers)


@each(SMALL | LARGE)
def test_rounds_are_those_of_the_plain_loop(monkeypatch: pytest.MonkeyPatch, rows: Rows) -> None:
    set_constants(monkeypatch, BLOCK=1500, CHUNK=400)
    tallies = by_block(lambda until: sample_rounds(*rows, until, seed=11), 4000)
    assert [tally.rounds for tally in tallies] == [1500, 1500, 1000]
    for block, tally in enumerate(tallies):
        assert plain(arrays(rows), tally.rounds, numbers_of(11, block, tally)) == lists(tally)


@pytest.mark.parametrize("given", [pytest.param(given, id=id) for id, given in ARRAYS.items()])
@pytest.mark.parametrize("rounds", [30, 4000], ids=["few", "many"])
def test_rows_are_those_of_the_plain_loop(
    monkeypatch: pytest.MonkeyPatch, given: Arrays, rounds: int
) -> None:
    set_constants(monkeypatch, BLOCK=1500, CHUNK=400)
    tallies = by_block(lambda until: sample_rows(*given, until, seed=12), rounds)
    for block, tally in enumerate(tallies):
        assert plain(given, tally.rounds, numbers_of(12, block, tally)) == lists(tally)


def test_the_blocks_are_as_large_as_they_say() -> None:
    rows = SHIPPED["divergent"]
    tallies = by_block(lambda until: sample_rounds(*rows, until, seed=13), BLOCK + 1000)
    assert [tally.rounds for tally in tallies] == [2**18, 1000]
    for block, tally in enumerate(tallies):
        assert plain(arrays(rows), tally.rounds, numbers_of(13, block, tally)) == lists(tally)


@each(SMALL | {"many tokens": close_rows(2, 40, seed=9)})
def test_rounds_are_those_of_the_exact_engine(monkeypatch: pytest.MonkeyPatch, rows: Rows) -> None:
    set_constants(monkeypatch, BLOCK=200)
    tallies = by_block(lambda until: sample_rounds(*rows, until, seed=14), 300)
    for block, tally in enumerate(tallies):
        assert engine(rows, tally.rounds, numbers_of(14, block, tally)) == lists(tally)


@each(SHIPPED)
def test_rows_whose_floats_are_exact_are_rounds(rows: Rows) -> None:
    assert sample_rows(*arrays(rows), BLOCK + 999, seed=15) == sample_rounds(*rows, BLOCK + 999, 15)


def test_a_golden_tally() -> None:
    """The numbers that every site and every figure is made of: a changed stream shows here."""
    tally = sample_rounds(*SHIPPED["aligned"], BLOCK + 1000, seed=2023)
    assert lists(tally) == GOLDEN_TALLY


GOLDEN_TALLY: Counts = (
    [
        [164373, 32922, 32849, 0, 33000, 0],
        [0, 98394, 74194, 0, 0, 24728],
        [21429, 0, 0, 108028, 43258, 0],
        [19124, 0, 0, 18886, 112973, 0],
        [82791, 16513, 16503, 0, 0, 16381],
        [0, 28956, 28867, 0, 0, 57790],
    ],
    [65828, 24601, 21732, 18795, 16575, 115613],
)


# Nothing but the seed and the number of rounds matters

WAYS: list[dict[str, int]] = [
    {"FEW_CELLS": 0},
    {"FEW_CELLS": 10**9},
    {"FEW_NUMBERS": 0},
    {"FEW_NUMBERS": 10**9},
    {"FEW_NUMBERS": 0, "FEW_CELLS": 0, "_MOST_BUCKETS": 1},
    {"FEW_NUMBERS": 0, "FEW_CELLS": 0, "_MOST_BUCKETS": 8},
    {"FEW_NUMBERS": 0, "FEW_CELLS": 0, "CHUNK": 1},
    {"CHUNK": 65},
    {"CHUNK": 10**9},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("name", ["aligned", "thirds and sevenths", *LARGE])
def test_every_way_of_counting_counts_the_same(
    monkeypatch: pytest.MonkeyPatch, name: str, way: dict[str, int]
) -> None:
    rows = (SMALL | LARGE)[name]
    given = arrays(rows)
    exact, in_floats = sample_rounds(*rows, 3000, seed=21), sample_rows(*given, 3000, seed=21)
    set_constants(monkeypatch, **way)
    assert sample_rounds(*rows, 3000, seed=21) == exact
    assert sample_rows(*given, 3000, seed=21) == in_floats


@pytest.mark.parametrize("rounds", [0, 1, 99, 100, 101, 1050])
def test_any_number_of_workers_gives_the_same(monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    set_constants(monkeypatch, BLOCK=100)
    rows = SHIPPED["aligned"]
    alone = sample_rounds(*rows, rounds, seed=22)
    for workers in (2, 3, 10**6):
        assert sample_rounds(*rows, rounds, seed=22, workers=workers) == alone
        assert sample_rows(*arrays(rows), rounds, seed=22, workers=workers) == alone


@pytest.mark.parametrize("rounds", [0, 1, 63, 64, 65, 131])
def test_at_the_ends_of_blocks(monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    set_constants(monkeypatch, BLOCK=64)
    rows = SHIPPED["divergent"]
    tallies = by_block(lambda until: sample_rounds(*rows, until, seed=23), rounds)
    assert sum(tally.rounds for tally in tallies) == rounds
    for block, tally in enumerate(tallies):
        assert plain(arrays(rows), tally.rounds, numbers_of(23, block, tally)) == lists(tally)


@pytest.mark.parametrize("rounds", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3])
def test_at_the_ends_of_real_blocks(rounds: int) -> None:
    finished: list[int] = []
    tally = sample_rounds(*SHIPPED["divergent"], rounds, seed=24, progress=finished.append)
    assert tally.rounds == rounds == sum(finished)
    assert finished == [BLOCK] * (rounds // BLOCK) + [rounds % BLOCK] * (rounds % BLOCK > 0)


def test_a_longer_run_begins_with_the_full_blocks_of_a_shorter_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_constants(monkeypatch, BLOCK=100)
    rows = SHIPPED["aligned"]
    lone, longer, longest = by_block(lambda until: sample_rounds(*rows, until, seed=25), 300)
    assert by_block(lambda until: sample_rounds(*rows, until, seed=25), 250)[:2] == [lone, longer]
    assert lone != longer != longest != lone


@each(SMALL)
def test_rows_of_counts_sum_to_the_rounds_that_came_there(rows: Rows) -> None:
    tally = sample_rounds(*rows, 2000, seed=26)
    assert tally.counts.shape == (len(rows[0]) + 1, len(rows[1]))
    assert tally.lengths.shape == (len(rows[0]) + 1,)
    assert tally.counts.dtype == tally.lengths.dtype == np.int64
    reached = [int(tally.lengths[n:].sum()) for n in range(tally.lengths.size)]
    assert tally.counts.sum(axis=1).tolist() == reached
    assert reached[0] == tally.rounds == 2000


@pytest.mark.parametrize("profile", ["aligned", "divergent"])
def test_what_is_impossible_never_happens(profile: str) -> None:
    target, bonus, _draft = rows = SHIPPED[profile]
    tally = sample_rounds(*rows, 10**7, seed=27, workers=2)
    possible = [[p > 0 for p in law.probabilities] for law in (*target, bonus)]
    assert (tally.counts > 0).tolist() == possible


# Seeds


def test_a_seed_is_the_sequence_that_starts_from_it() -> None:
    rows = SHIPPED["aligned"]
    tally = sample_rounds(*rows, 500, seed=5)
    assert sample_rounds(*rows, 500, seed=5) == tally
    assert sample_rounds(*rows, 500, SeedSequence(5)) == tally
    assert sample_rounds(*rows, 500, seed=6) != tally


def test_a_sequence_is_not_used_up() -> None:
    rows = SHIPPED["aligned"]
    sequence = SeedSequence(5)
    sequence.spawn(3)
    assert sample_rounds(*rows, 500, sequence) == sample_rounds(*rows, 500, seed=5)
    assert sequence.n_children_spawned == 3


def test_a_sequence_counts_with_all_that_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, BLOCK=100)
    rows = SHIPPED["aligned"]

    def child() -> SeedSequence:
        return SeedSequence([5, 6], spawn_key=(7,), pool_size=8)

    tallies = by_block(lambda until: sample_rounds(*rows, until, child()), 250)
    for block, tally in enumerate(tallies):
        assert plain(arrays(rows), tally.rounds, numbers_of(child(), block, tally)) == lists(tally)


# A path


def test_a_path_is_one_run_looked_at_as_it_grows() -> None:
    rows = SHIPPED["divergent"]
    checkpoints = [1, 10, 400]
    path = sample_path(*rows, checkpoints, seed=31)
    assert [tally.rounds for tally in path] == checkpoints
    steps = [1, 9, 390]
    parts = [
        sample_rounds(*rows, step, SeedSequence(31).spawn(number + 1)[number])
        for number, step in enumerate(steps)
    ]
    assert list(path) == list(accumulate(parts, Tally.__add__))
    assert sample_path(*rows, [], seed=31) == ()


@pytest.mark.parametrize(
    ("wrong", "shown"), [(-1, "-1"), (True, "True"), (1.5, "1.5"), ("1", "'1'"), (None, "None")]
)
def test_a_path_refuses_seeds_as_a_run_does(wrong: Any, shown: str) -> None:
    message = f"seed: expected a whole number >= 0, got {shown}"
    assert refusal(lambda: sample_path(*SHIPPED["aligned"], [1], wrong)) == message


def test_a_path_goes_forward() -> None:
    message = "checkpoints: expected none below the last, got (5, 3)"
    assert refusal(lambda: sample_path(*SHIPPED["aligned"], [5, 3], 1)) == message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("ab", "checkpoints: expected a list, got str 'ab'"),
        ([1, -1], "checkpoint 2: expected a whole number >= 0, got -1"),
        ([1.5], "checkpoint 1: expected a whole number >= 0, got 1.5"),
    ],
)
def test_a_path_refuses_what_are_no_checkpoints(wrong: Any, message: str) -> None:
    assert refusal(lambda: sample_path(*SHIPPED["aligned"], wrong, 1)) == message


# Tallies


def tally_of(counts: list[list[int]], lengths: list[int]) -> Tally:
    return Tally(np.array(counts), np.array(lengths))


def test_tallies_add_up_and_compare() -> None:
    one = tally_of([[1, 2], [3, 0]], [0, 3])
    other = tally_of([[1, 0], [0, 0]], [1, 0])
    assert one + other == tally_of([[2, 2], [3, 0]], [1, 3])
    assert (one + other).rounds == 4
    assert one == tally_of([[1, 2], [3, 0]], [0, 3])
    assert one != tally_of([[1, 2], [2, 1]], [0, 3])
    assert one != tally_of([[1, 2], [3, 0]], [3, 0])
    assert one != "a tally"
    with pytest.raises(TypeError, match=r"^unhashable type: 'Tally'$"):
        hash(one)


def test_what_was_added_stays_as_it_was() -> None:
    one = tally_of([[1, 2], [3, 0]], [0, 3])
    assert one + one != one
    assert one == tally_of([[1, 2], [3, 0]], [0, 3])


# Progress and interruption


def test_progress_is_told_of_every_block(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, BLOCK=100)
    rows = SHIPPED["aligned"]
    finished: list[int] = []
    sample_rounds(*rows, 350, seed=41, progress=finished.append)
    assert finished == [100, 100, 100, 50]
    finished.clear()
    sample_rows(*arrays(rows), 350, seed=41, progress=finished.append, workers=2)
    assert sorted(finished) == [50, 100, 100, 100]


def test_progress_is_told_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, BLOCK=10)
    telling = threading.Lock()

    def progress(_rounds: int) -> None:
        assert telling.acquire(blocking=False)
        time.sleep(0.001)
        telling.release()

    tally = sample_rounds(*SHIPPED["aligned"], 500, seed=42, progress=progress, workers=3)
    assert tally.rounds == 500


class Interrupted(BaseException):
    """Stands for an interruption from the keyboard."""


@pytest.mark.parametrize("worker", [0, 1])
def test_an_interruption_ends_all_workers(monkeypatch: pytest.MonkeyPatch, worker: int) -> None:
    """Whichever thread is interrupted, none goes on for long."""
    set_constants(monkeypatch, BLOCK=10)
    started: list[int] = []
    play_block = sampling._play

    def played(*arguments: Any) -> None:
        block = arguments[3].spawn_key[-1]
        started.append(block)
        play_block(*arguments)
        if block == 10 + worker:
            raise Interrupted

    monkeypatch.setattr(sampling, "_play", played)
    with pytest.raises(Interrupted):
        sample_rounds(
            *SHIPPED["aligned"], 10**4, 43, workers=2, progress=lambda _rounds: time.sleep(0.001)
        )
    assert len(started) < 200  # of 1000


def test_progress_may_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, BLOCK=10)
    told: list[int] = []

    def progress(rounds: int) -> None:
        told.append(rounds)
        if len(told) >= 5:
            raise Interrupted

    for workers in (1, 2):
        told.clear()
        with pytest.raises(Interrupted):
            sample_rounds(*SHIPPED["aligned"], 10**4, 44, workers=workers, progress=progress)
        assert len(told) < 100  # of 1000


def test_the_memory_needed_does_not_grow_with_the_rounds() -> None:
    rows = SHIPPED["aligned"]

    def peak(rounds: int) -> int:
        tracemalloc.start()
        sample_rounds(*rows, rounds, seed=45)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)  # what is made once
    assert peak(20 * BLOCK) < peak(BLOCK) + 2**16


# What a number picks


@for_all(number=st.integers(0, GRID - 1), value=fractions_in_unit() | st.just(Fraction(1)))
def test_a_number_is_below_the_threshold_if_it_is_below_the_value(
    number: int, value: Fraction
) -> None:
    assert (number / GRID < threshold(value)) == (Fraction(number, GRID) < value)


@for_all(
    near=st.integers(0, GRID),
    number=st.integers(-2, 2),
    off=st.fractions(-3, 3, max_denominator=7),
)
def test_a_threshold_divides_numbers_next_to_it(near: int, number: int, off: Fraction) -> None:
    value = min(max((near + off) / GRID, Fraction(0)), Fraction(1))
    drawn = min(max(near + number, 0), GRID - 1)
    assert (drawn / GRID < threshold(value)) == (Fraction(drawn, GRID) < value)


def test_the_ends_of_the_threshold() -> None:
    assert threshold(Fraction(0)) == 0.0
    assert threshold(Fraction(1)) == 1.0
    assert threshold(Fraction(1, 10**400)) == 1 / GRID
    assert threshold(1 - Fraction(1, 10**400)) == 1.0
    assert threshold(Fraction(1, 2)) == 0.5


def near(values: Iterable[Fraction]) -> st.SearchStrategy[int]:
    """Numbers of the grid, over 1 / GRID, at some values and next to them."""
    points = st.sampled_from([value.numerator * GRID // value.denominator for value in values])
    numbers = st.builds(int.__add__, points, st.integers(-1, 2))
    return numbers.filter(range(GRID).__contains__)


PAIRS = [
    pair for target, _bonus, draft in SMALL.values() for pair in zip(target, draft, strict=True)
]


@for_all(data=st.data(), law=st.sampled_from([target for target, _draft in PAIRS]))
def test_an_exact_choice_picks_as_the_engine_does(data: st.DataObject, law: Distribution) -> None:
    numbers = data.draw(st.lists(near(accumulate(law.probabilities)), min_size=1, max_size=64))
    picked = [law.vocabulary.index(law.token_at(Fraction(number, GRID))) for number in numbers]
    choice = Choice.exact(law)
    for repeated in (1, 65):  # few numbers, and many
        drawn = np.array(numbers * repeated) / GRID
        assert choice.tokens(drawn).tolist() == picked * repeated
        counts = np.zeros(len(law), np.int64)
        choice.count(drawn, counts)
        assert counts.tolist() == [repeated * picked.count(place) for place in range(len(law))]


@for_all(data=st.data(), pair=st.sampled_from(PAIRS))
def test_an_exact_attempt_decides_as_the_engine_does(
    data: st.DataObject, pair: tuple[Distribution, Distribution]
) -> None:
    target, draft = pair
    limits = [accept_probability(target, draft, token) for token, q in draft.items() if q]
    numbers = st.tuples(near(accumulate(draft.probabilities)), near([Fraction(0), *limits]))
    proposing, accepting = zip(*data.draw(st.lists(numbers, min_size=2, max_size=20)), strict=True)
    accepted = np.zeros(len(target), np.int64)
    for proposal, draw in zip(proposing, accepting, strict=True):
        token = draft.token_at(Fraction(proposal, GRID))
        draws = Draws([Fraction(draw, GRID)], replacement=0, bonus=0)
        if speculative_round([target], target, [draft], [token], draws).accepted:
            accepted[target.vocabulary.index(token)] += 1
    attempt = attempts.ExactAttempt(target, draft)
    for repeated in (1, 65):  # few numbers, and many
        counts = np.zeros(len(target), np.int64)
        proposed, decided = (np.array(part * repeated) / GRID for part in (proposing, accepting))
        rejected = attempt.check(proposed, decided, counts)
        assert counts.tolist() == (repeated * accepted).tolist()
        assert rejected == repeated * (len(proposing) - accepted.sum())


NASTY = (0.0, 0.0, 5e-324, 1e-300, 1e-17, 2.0**-53, 0.1, 1 / 3, 1.0)


def nasty_weights(seed: int, size: int) -> Floats:
    """Return weights of all magnitudes, some patches of them all 0, that sum to about 1."""
    random = np.random.default_rng(seed)
    weights: Floats = random.choice(NASTY, size) * random.choice((1.0, random.random()), size)
    for start in random.integers(0, size, 3).tolist():
        weights[start : start + int(random.integers(1, 300))] = 0
    weights[random.integers(0, size)] += 1
    weights /= weights.sum()
    return weights


def tiny_at_the_ends_of_segments(seed: int) -> Floats:
    """Return weights of which the last of each segment are as small as errors of rounding."""
    weights = np.random.default_rng(seed).random(1024) / 512
    weights[np.arange(1024) % 256 > 250] = 2.0**-54
    return weights


def numbers_near(edges: list[float]) -> Floats:
    """Return numbers at some of the edges and next to them, and random ones."""
    random = np.random.default_rng(1)
    some = random.choice(edges, 200)
    numbers: Floats = np.r_[
        some, np.nextafter(some, 0), np.nextafter(some, 1), random.random(100), 0.0
    ]
    return numbers[numbers < 1]


def row_of(weights: Floats) -> Row:
    (row,) = Row.each(weights[np.newaxis])
    return row


WEIGHTS = [
    pytest.param(nasty_weights(seed, size), id=f"{size} weights, seed {seed}")
    for seed, size in enumerate([1, 2, 7, 255, 256, 257, 300, 511, 512, 513, 700, 1024, 2000] * 2)
] + [
    pytest.param(np.r_[np.zeros(300), 1.0, np.zeros(300)], id="one among zeros"),
    pytest.param(np.r_[1.0, np.zeros(600)], id="zeros at the end"),
    pytest.param(np.r_[0.5, np.full(599, 1e-300), 0.5], id="weights too small for a cell"),
    pytest.param(np.r_[1.0, np.full(600, 1e-300)], id="a sum that small weights do not change"),
    pytest.param(np.full(1000, 1e-3), id="equal weights"),
    *(
        pytest.param(tiny_at_the_ends_of_segments(seed), id=f"tiny ones at ends, seed {seed}")
        for seed in range(5)
    ),
]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_cells_of_a_row_are_in_order_and_fill_the_unit_interval(weights: Floats) -> None:
    edges = row_of(weights).edges
    assert edges.shape == weights.shape
    widths = np.diff(edges, prepend=0.0)
    assert (widths >= 0).all()
    assert (widths[weights == 0] == 0).all()
    last = int(np.flatnonzero(weights)[-1])
    assert (edges[last:] == 1).all()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_cells_of_a_row_are_as_wide_as_the_weights(weights: Floats) -> None:
    exact = [Fraction(weight) for weight in weights.tolist()]
    total = sum(exact)
    for edge, before in zip(row_of(weights).edges.tolist(), accumulate(exact), strict=True):
        assert abs(Fraction(edge) - before / total) < Fraction(weights.size, 2**52)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_few_numbers_pick_what_many_do(weights: Floats) -> None:
    edges = row_of(weights).edges.tolist()
    numbers = numbers_near(edges)
    expected = [bisect(edges, number) for number in numbers.tolist()]
    few = row_of(weights)
    parts = [few.tokens(part) for part in np.array_split(numbers, numbers.size // 60 + 1)]
    assert np.concatenate(parts).tolist() == expected
    many = row_of(weights)
    assert many.tokens(np.tile(numbers, 2)).tolist() == expected * 2
    assert many.tokens(numbers[:10]).tolist() == expected[:10]
    assert all(weights[token] > 0 for token in expected)


def test_a_few_numbers_leave_the_cells_of_other_segments_alone() -> None:
    row = row_of(nasty_weights(seed=1, size=700))
    row.tokens(np.array([0.25, 0.75]))
    assert "edges" not in vars(row)


# Rows of floats


def test_rows_need_not_lie_in_a_block_of_memory_and_stay_as_they_are() -> None:
    target, bonus, draft = given = random_arrays(3, 300, seed=51)
    expected = sample_rows(target, bonus, draft, 500, seed=52)
    strided = (
        np.asfortranarray(target),
        np.repeat(bonus, 2)[::2],
        np.repeat(draft, 2, axis=1)[:, ::2],
    )
    kept = [array.copy() for array in given]
    for array in (*given, *strided):
        array.flags.writeable = False
    assert sample_rows(*strided, 500, seed=52) == expected
    assert all(map(np.array_equal, given, kept))


def test_a_sum_within_the_tolerance_is_divided_out() -> None:
    target, bonus, draft = random_arrays(1, 10, seed=53)
    scaled = target * (1 - 9e-7), bonus * (1 - 9e-7), draft * (1 + 9e-7)
    assert sample_rows(*scaled, 5000, seed=54) == sample_rows(target, bonus, draft, 5000, seed=54)
    right, other = (
        attempts.FloatAttempt(row_of(wanted[0]), row_of(offered[0]))
        for wanted, offered in ((target, draft), (scaled[0], scaled[2]))
    )
    tokens = np.arange(10)
    assert other.acceptance(tokens) == pytest.approx(right.acceptance(tokens), rel=1e-14, abs=0)
    assert other.replacements.edges == pytest.approx(right.replacements.edges, rel=1e-14, abs=0)


def test_equal_rows_accept_everything() -> None:
    target, bonus, _draft = random_arrays(2, 1000, seed=55)
    for times in (1, 1 - 4e-7):
        tally = sample_rows(target, bonus, target * times, 5000, seed=56)
        assert tally.lengths.tolist() == [0, 0, 5000]


def test_rejection_by_rounding_alone_commits_a_token_of_the_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    law = np.array([0.0, 0.25, 0.75])
    monkeypatch.setattr(
        attempts.FloatAttempt, "acceptance", lambda _self, tokens: np.zeros(tokens.shape)
    )
    tally = sample_rows(law[np.newaxis], law, law[np.newaxis], 1000, seed=57)
    assert tally.lengths.tolist() == [1000, 0]
    assert tally.counts[0, 0] == 0
    assert tally.counts[0].sum() == 1000


def test_a_ratio_too_large_for_a_float_accepts() -> None:
    wanted, offered = np.array([[1.0, 0.0]]), np.array([[5e-324, 1.0]])
    tally = sample_rows(wanted, wanted[0], offered, 1000, seed=58)
    assert lists(tally) == ([[1000, 0], [0, 0]], [1000, 0])
    tally = sample_rows(offered, wanted[0], wanted, 1000, seed=58)
    assert lists(tally) == ([[0, 1000], [0, 0]], [1000, 0])


# What is refused

HALVES = Distribution({"a": "1/2", "b": "1/2"})
OTHER = Distribution({"b": "1/2", "a": "1/2"})
HALF = np.array([[0.5, 0.5]])
NO_COUNTS: list[tuple[Any, str]] = [
    (-1, "-1"),
    (True, "True"),
    (1.0, "1.0"),
    ("1", "'1'"),
    (None, "None"),
]
wrong: Any


def refusal(call: Callable[[], object]) -> str:
    """Return the message with which a call is refused."""
    with pytest.raises(SpecdecError) as refused:
        call()
    return str(refused.value)


@pytest.mark.parametrize(("wrong", "shown"), NO_COUNTS)
@pytest.mark.parametrize("name", ["rounds", "seed", "workers"])
def test_what_is_no_count_is_refused(name: str, wrong: Any, shown: str) -> None:
    message = f"{name}: expected a whole number >= 0, got {shown}"
    counts: dict[str, Any] = {"rounds": 1, "seed": 1, name: wrong}
    assert refusal(lambda: sample_rounds([HALVES], HALVES, [HALVES], **counts)) == message
    assert refusal(lambda: sample_rows(HALF, HALF[0], HALF, **counts)) == message


def test_no_workers_are_refused() -> None:
    message = "workers: expected at least 1, got 0"
    assert refusal(lambda: sample_rounds([HALVES], HALVES, [HALVES], 1, 1, workers=0)) == message
    assert refusal(lambda: sample_rows(HALF, HALF[0], HALF, 1, 1, workers=0)) == message


@pytest.mark.parametrize(
    ("target", "bonus", "draft", "message"),
    [
        ([HALVES], HALVES, [], "draft: expected 1, one per target row, got 0"),
        ([HALVES], HALVES, [HALVES] * 2, "draft: expected 1, one per target row, got 2"),
        ("ab", HALVES, [HALVES] * 2, "target: expected a list, got str 'ab'"),
        ([HALVES], HALVES, None, "draft: expected a list, got NoneType None"),
        (
            [HALVES],
            HALVES,
            [OTHER],
            "distributions: expected one vocabulary in one order, got ('a', 'b') and ('b', 'a')",
        ),
        (
            [],
            [0.5, 0.5],
            [],
            "distribution: expected a Distribution, got list [0.5, 0.5]",
        ),
    ],
)
def test_distributions_that_do_not_fit_are_refused(
    target: Any, bonus: Any, draft: Any, message: str
) -> None:
    assert refusal(lambda: sample_rounds(target, bonus, draft, 1, 1)) == message


@pytest.mark.parametrize(
    ("target", "bonus", "draft", "message"),
    [
        ([[0.5, 0.5]], HALF[0], HALF, "target: expected a float64 array, got list"),
        (HALF, (0.5, 0.5), HALF, "bonus: expected a float64 array, got tuple"),
        (HALF, HALF[0], None, "draft: expected a float64 array, got NoneType"),
        (
            HALF.astype("float32"),
            HALF[0],
            HALF,
            "target: expected a float64 array, got float32 array",
        ),
        (HALF, HALF[0].astype(int), HALF, "bonus: expected a float64 array, got int64 array"),
        (HALF, HALF[0], HALF.astype(object), "draft: expected a float64 array, got object array"),
        (HALF[0], HALF[0], HALF, "target: expected shape (k, V), got (2,)"),
        (HALF, HALF, HALF, "bonus: expected shape (V,), got (1, 2)"),
        (HALF, HALF[0], HALF[np.newaxis], "draft: expected shape (k, V), got (1, 1, 2)"),
        (HALF, np.array(1.0), HALF, "bonus: expected shape (V,), got ()"),
        (HALF, HALF[0], HALF[:0], "draft: expected shape (1, 2), as target, got (0, 2)"),
        (HALF, HALF[0], HALF[:, :1], "draft: expected shape (1, 2), as target, got (1, 1)"),
        (HALF, HALF[0, :1], HALF, "bonus: expected 2 tokens, as target, got 1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    target: Any, bonus: Any, draft: Any, message: str
) -> None:
    assert refusal(lambda: sample_rows(target, bonus, draft, 1, 1)) == message


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([0.5, 0.25], "sum 1, got 0.75"),
        ([0.5, 0.500002], "sum 1, got 1.000002"),
        ([0.0, 0.0], "sum 1, got 0"),
        ([1.5, -0.5], "numbers >= 0, got -0.5"),
        ([1.0, -5e-324], "numbers >= 0, got -4.94065646e-324"),
        ([float("nan"), 0.5], "sum 1, got nan"),
        ([float("inf"), 0.5], "sum 1, got inf"),
        ([float("-inf"), 0.5], "sum 1, got -inf"),
        ([float("inf"), float("-inf")], "sum 1, got nan"),
        ([1e308, 1e308], "sum 1, got inf"),
    ],
)
def test_rows_that_are_no_laws_are_refused(row: list[float], expected: str) -> None:
    bad, call = np.array([row]), partial(sample_rows, rounds=1, seed=1)
    assert refusal(lambda: call(bad, HALF[0], HALF)) == f"target row 1: expected {expected}"
    assert refusal(lambda: call(HALF, bad[0], HALF)) == f"bonus: expected {expected}"
    assert refusal(lambda: call(HALF, HALF[0], bad)) == f"draft row 1: expected {expected}"


def test_all_rows_that_are_no_laws_are_named_at_once() -> None:
    target = np.array([[0.5, 0.5], [0.5, 0.25], [2.0, -1.0]])
    bonus = np.array([np.nan, 1.0])
    draft = np.array([[1.0, 1.0], [0.0, 1.0], [0.25, 0.75]])
    assert refusal(lambda: sample_rows(target, bonus, draft, 1, 1)) == (
        "target row 2: expected sum 1, got 0.75\n"
        "target row 3: expected numbers >= 0, got -1\n"
        "bonus: expected sum 1, got nan\n"
        "draft row 1: expected sum 1, got 2"
    )


def test_negative_zero_is_zero() -> None:
    row = np.array([[-0.0, 1.0]])
    assert sample_rows(row, row[0], row, 10, 1).counts.tolist() == [[0, 10], [0, 10]]


# The public names


def test_numpy_is_loaded_when_a_sampler_is_asked_for() -> None:
    code = (
        "import sys, specdec; print('numpy' in sys.modules); "
        "from specdec import sample_rounds; print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("name", ["Tally", "sample_rounds", "sample_rows"])
def test_the_public_names_are_the_samplers(name: str) -> None:
    assert getattr(specdec, name) is getattr(sampling, name)


def test_other_names_are_unknown() -> None:
    with pytest.raises(AttributeError, match=r"^module 'specdec' has no attribute 'sample'$"):
        specdec.sample  # noqa: B018
