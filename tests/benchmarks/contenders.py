"""Who plays: our sampler, a plain loop, two other implementations, and the floor below all."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from itertools import cycle, islice
from random import Random
from typing import Any

import numpy as np

from specdec import Tally, sample_rounds, sample_rows
from tests.benchmarks.inputs import Exact, Floats, Rows
from tests.benchmarks.timing import Contender, once
from tests.plain_sampler import Counts, plain_rounds

LABELS = {
    "sample_rounds": (
        "specdec sample_rounds",
        "Exact distributions in. Draws the proposals, decides, draws the last token, tallies every "
        "committed token; hands back the tally, not the tokens of each round.",
    ),
    "sample_rows": (
        "specdec sample_rows",
        "float64 arrays in, checked in every call. Otherwise as sample_rounds.",
    ),
    "textbook": (
        "loop as explanations write it",
        "One round after the other, tallied in the same way, on NumPy arrays: every proposal by "
        "Generator.choice, the residual made at each rejection, nothing prepared.",
    ),
    "plain": (
        "prepared Python loop",
        "One round after the other, tallied in the same way, in Python without NumPy: lists of "
        "floats, prepared once a call, and a binary search for each token. Like ours, it draws no "
        "proposal that is never checked.",
    ),
    "flashspec": (
        "flashspec rejection_step",
        "The proposals are given, drawing them is not timed; float32 log-probabilities, converted "
        "beforehand. Many rounds in one call. Draws all k acceptance numbers of each round. Hands "
        "back each round's length and last token. Its PyTorch path, without its optional kernel.",
    ),
    "transformers": (
        "transformers _speculative_sampling",
        "The proposals are given, drawing them is not timed; float32 logits, converted beforehand. "
        "One round in one call. Hands back the round's tokens.",
    ),
    "floor": (
        "drawing the numbers alone",
        "NumPy's SFC64 draws the random numbers that the rounds consume on average, in blocks that "
        "stay in the cache, and does nothing with them.",
    ),
}
"""By name: what to call it, and what one round means for it."""

FLOOR_BLOCK = 2**13
"""Numbers drawn at a time: 64 kB, which the second cache holds and the calls do not show in."""


def exact_rounds(exact: Exact, rounds: int) -> Contender:
    """Return ours on exact distributions."""

    def run() -> Tally:
        return sample_rounds(exact.target, exact.bonus, exact.draft, rounds, 1)

    return Contender("sample_rounds", rounds, run, _tallied)


def float_rounds(rows: Rows, rounds: int) -> Contender:
    """Return ours on arrays."""

    def run() -> Tally:
        return sample_rows(rows.target, rows.bonus, rows.draft, rounds, 1)

    return Contender("sample_rows", rounds, run, _tallied)


def exact_singles(sets: Sequence[Exact], rounds: int) -> Contender:
    """Return ours, one round a call, each of the next set of exact distributions."""

    def run() -> None:
        for seed, each in enumerate(islice(cycle(sets), rounds)):
            sample_rounds(each.target, each.bonus, each.draft, 1, seed)

    return Contender("sample_rounds", rounds, run, batch=1)


def float_singles(sets: Sequence[Rows], rounds: int) -> Contender:
    """Return ours, one round a call, each of the next set of arrays."""

    def run() -> None:
        for seed, each in enumerate(islice(cycle(sets), rounds)):
            sample_rows(each.target, each.bonus, each.draft, 1, seed)

    return Contender("sample_rows", rounds, run, batch=1)


def textbook(rows: Rows, rounds: int) -> Contender:
    """Return the loop that explanations show, for many rounds."""

    def run() -> Counts:
        random = np.random.default_rng(1)
        counts, lengths = np.zeros((rows.k + 1, rows.vocabulary), int), np.zeros(rows.k + 1, int)
        for _ in range(rounds):
            committed = _textbook_round(rows, random)
            counts[range(len(committed)), committed] += 1
            lengths[len(committed) - 1] += 1
        return counts.tolist(), lengths.tolist()

    return Contender("textbook", rounds, run, _committed)


def _textbook_round(rows: Rows, random: np.random.Generator) -> list[int]:
    size = rows.vocabulary
    proposals = [random.choice(size, p=offered) for offered in rows.draft]
    committed: list[int] = []
    for token, wanted, offered in zip(proposals, rows.target, rows.draft, strict=True):
        if random.random() < min(1.0, wanted[token] / offered[token]):
            committed.append(int(token))
        else:
            left = np.maximum(0, wanted - offered)
            return [*committed, int(random.choice(size, p=left / left.sum()))]
    return [*committed, int(random.choice(size, p=rows.bonus))]


def plain(rows: Rows, rounds: int) -> Contender:
    """Return the plain loop, with Python's own random numbers, the quickest for single ones."""
    lists = rows.target.tolist(), rows.bonus.tolist(), rows.draft.tolist()

    def run() -> Counts:
        return plain_rounds(*lists, rounds, Random(1).random)

    return Contender("plain", rounds, run, _committed)


def _committed(counts: Counts) -> int:
    return sum(n * times for n, times in enumerate(counts[1], start=1))


def plain_singles(sets: Sequence[Rows], rounds: int) -> Contender:
    """Return the plain loop, one round a call, each of the next set of rows."""
    lists = [(rows.target.tolist(), rows.bonus.tolist(), rows.draft.tolist()) for rows in sets]

    def run() -> None:
        for seed, each in enumerate(islice(cycle(lists), rounds)):
            plain_rounds(*each, 1, Random(seed).random)

    return Contender("plain", rounds, run, batch=1)


def floor(rows: Rows, rounds: int) -> Contender:
    """Return what draws as many numbers as the rounds consume on average."""
    generator = np.random.Generator(np.random.SFC64(1))
    block = np.empty(FLOOR_BLOCK)
    blocks, rest = divmod(round(rows.uniforms * rounds), FLOOR_BLOCK)

    def run() -> None:
        for _ in range(blocks):
            generator.random(out=block)
        generator.random(out=block[:rest])

    return Contender("floor", rounds, run)


class Peers:
    """The other implementations, which only the benchmark's own environment has.

    They are private or know no types, so they are `Any` here.
    """

    def __init__(self) -> None:
        """Load them, on one thread."""
        self._torch: Any = import_module("torch")
        self._torch.set_num_threads(1)
        self._one: Any = import_module("transformers.generation.utils")._speculative_sampling
        self._many: Any = import_module("flashspec.sampling.rejection").rejection_step

    def generating(self) -> AbstractContextManager[object]:
        """Return the context in which they generate: without gradients."""
        context: AbstractContextManager[object] = self._torch.inference_mode()
        return context

    def flashspec(self, rows: Rows, rounds: int, batch: int, *, views: bool = False) -> Contender:
        """Return flashspec playing rounds of the same rows.

        Args:
            rows: the distributions of all rounds.
            rounds: how many, a multiple of ``batch``.
            batch: rounds in one call.
            views: hand it views of one copy of the rows instead of a copy for each round.
        """
        draft, target = (
            each.expand(batch, -1, -1) if views else each.repeat(batch, 1, 1)
            for each in self._logarithms(rows)
        )
        proposals = self._tensor(rows.proposals(rounds, 2)).split(batch)

        def run() -> list[Any]:
            return [self._many(ids, draft, target) for ids in proposals]

        def committed(results: list[Any]) -> int:
            return sum(int(each[:, 0].sum()) for each in results) + rounds

        return Contender("flashspec", rounds, run, committed, batch)

    def quickest_flashspec(self, rows: Rows, rounds: int, batches: Sequence[int]) -> Contender:
        """Return flashspec with the batch size, of copies or of views, that a trial liked best.

        Args:
            rows: the distributions of all rounds.
            rounds: how many, at least; a multiple of each batch size.
            batches: the sizes to try.
        """

        def trial(batch: int, views: bool) -> float:
            contender = self.flashspec(rows, rounds, batch, views=views)
            contender.run()
            return min(once(contender) for _ in range(2))

        tried = [(batch, views) for batch in batches for views in (False, True)]
        batch, views = min(tried, key=lambda each: trial(*each))
        return self.flashspec(rows, rounds, batch, views=views)

    def transformers(self, rows: Rows, rounds: int) -> Contender:
        """Return transformers playing rounds of the same rows, one a call."""
        draft, target = self._logarithms(rows)
        proposals = self._tensor(rows.proposals(rounds, 3)).split(1)

        def run() -> list[Any]:
            return [self._one(ids, draft, rows.k, target) for ids in proposals]

        def committed(results: list[Any]) -> int:
            return sum(int(accepted) for _tokens, accepted in results) + rounds

        return Contender("transformers", rounds, run, committed, batch=1)

    def singles(self, sets: Sequence[Rows], rounds: int) -> list[Contender]:
        """Return both, one round a call, each of the next set of rows."""
        inputs = [(self._tensor(rows.proposals(1, 4)), *self._logarithms(rows)) for rows in sets]
        k = sets[0].k

        def many() -> None:
            for ids, draft, target in islice(cycle(inputs), rounds):
                self._many(ids, draft, target)

        def one() -> None:
            for ids, draft, target in islice(cycle(inputs), rounds):
                self._one(ids, draft, k, target)

        return [
            Contender("flashspec", rounds, many, batch=1),
            Contender("transformers", rounds, one, batch=1),
        ]

    def _logarithms(self, rows: Rows) -> tuple[Any, Any]:
        """Return draft (1, k, V) and target with bonus (1, k + 1, V), as float32 logarithms."""
        target = np.vstack([rows.target, rows.bonus])
        return self._tensor(_logarithm(rows.draft))[None], self._tensor(_logarithm(target))[None]

    def _tensor(self, array: Any) -> Any:
        return self._torch.from_numpy(array)


def _logarithm(probabilities: Floats) -> Any:
    with np.errstate(divide="ignore"):  # minus infinity is how both write probability 0
        return np.log(probabilities).astype(np.float32)


def _tallied(tally: Tally) -> int:
    return int(tally.lengths @ np.arange(1, tally.lengths.size + 1))
