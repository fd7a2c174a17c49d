"""Many rounds under a rule that may be wrong, drawn with NumPy: what the tests have to notice.

The mechanism is played as a `WrongRule` describes it, in float64. Nothing is shared with the
sampler, and nothing with the laws that `specdec.wrong_rules` derives.
"""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec import Distribution
from specdec.laws import Contextual, Prefix
from specdec.sampling import Tally
from specdec.wrong_rules import WrongRule
from tests.shipped import Rows

Floats: TypeAlias = NDArray[np.float64]
Tokens: TypeAlias = NDArray[np.intp]
Flags: TypeAlias = NDArray[np.bool_]


def draw_rounds(rule: WrongRule, rows: Rows, rounds: int, seed: int) -> Tally:
    """Play rounds under a rule, for k >= 1, and tally what it tallies."""
    target, bonus, draft = rows
    random = np.random.default_rng(seed)
    counts = np.zeros((len(target) + 1, len(bonus)), np.int64)
    lengths = np.zeros(len(target) + 1, np.int64)
    all_kept = np.ones(rounds, np.bool_)  # so far, for each round that is still being checked
    for n, (wanted, offered) in enumerate(zip(target, draft, strict=True)):
        tokens, kept = attempt(rule, wanted, offered, random.random((3, all_kept.size)))
        counts[n] = count(tokens if rule.tallied == "committed" else tokens[kept], len(bonus))
        all_kept &= kept
        if rule.after_rejection == "stop":
            lengths[n] = np.count_nonzero(~all_kept)
            all_kept = all_kept[all_kept]
    lengths[-1] = finished = np.count_nonzero(all_kept)
    lengths[-2] += all_kept.size - finished  # those that went on have all but the bonus token
    last = target[-1] if rule.bonus == "repeated" else bonus
    counts[-1] = count(pick(last, random.random(finished)), len(bonus))
    return Tally(counts, lengths)


def first_two_tokens(
    rule: WrongRule, target: Contextual, draft: Contextual, rounds: int, seed: int
) -> dict[Prefix, int]:
    """Count the first two tokens of texts from rounds of two proposals, whose rows differ.

    After a rejection the next token is checked in a new round, which knows what was committed; a
    rule that goes on checks what was drafted after the rejected token.
    """
    random = np.random.default_rng(seed)
    vocabulary = target(()).vocabulary
    numbers = random.random((2, 3, rounds))
    first, _kept = attempt(rule, target(()), draft(()), numbers[0])
    going_on = rule.after_rejection == "go on"
    before = pick(draft(()), numbers[0][rule.numbers[0]]) if going_on else first
    second = np.empty_like(first)
    for place, token in enumerate(vocabulary):
        here = before == place
        rows = target((token,)), draft((token,))
        second[here], _kept = attempt(rule, *rows, numbers[1][:, here])
    counts = count(first * len(vocabulary) + second, len(vocabulary) ** 2)
    return dict(zip(product(vocabulary, repeat=2), counts.tolist(), strict=True))


def attempt(
    rule: WrongRule, target: Distribution, draft: Distribution, numbers: Floats
) -> tuple[Tokens, Flags]:
    """Propose and check once per column of three numbers.

    Returns:
        What is committed, and whether it is the proposal, kept; one each per column.
    """
    proposing, deciding, replacing = (numbers[each] for each in rule.numbers)
    committed = pick(draft, proposing)
    kept = np.ones(committed.shape, np.bool_)
    for place, (token, offered) in enumerate(draft.items()):
        limit = rule.accept(target, draft, token) if offered else 1
        if limit < 1:
            rejected = (committed == place) & kept & (deciding >= float(limit))
            kept[rejected] = False
            committed[rejected] = pick(rule.correct(target, draft, token), replacing[rejected])
    return committed, kept


def pick(law: Distribution, numbers: Floats) -> Tokens:
    """Return the place of the token that each number picks."""
    ends = np.cumsum([float(probability) for probability in law.probabilities])
    return np.searchsorted(ends / ends[-1], numbers, side="right")


def count(tokens: Tokens, vocabulary: int) -> NDArray[np.int64]:
    """Return how often each token occurs."""
    return np.bincount(tokens, minlength=vocabulary).astype(np.int64)
