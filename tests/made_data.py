"""Data files made at random, all of whose numbers, texts and ids are other than those shipped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, Literal

Kind = Literal["any", "near", "equal", "apart", "sure"]
"""How the draft's row at a position comes from the target's; see `_drafted`."""


@dataclass(frozen=True)
class Shape:
    """What one data file is to be like.

    Attributes:
        file: its name.
        whole: its denominator: a prime that nothing else has, so that fractions tell where they are
            from.
        k: proposals per round.
        tokens: of the vocabulary.
        drafts: a kind per position, repeated as needed, for each profile.
        prices: of a draft step and of a pass.
        draws: the accept draws: ``random`` over a prime, or the same text each time.
    """

    file: str
    whole: int
    k: int
    tokens: int
    drafts: tuple[tuple[Kind, ...], ...]
    prices: tuple[str, str]
    draws: str = "random"


Files = dict[str, dict[str, Any]]
"""Scenarios by the name of their file."""

DRAWS = 211
"""The prime under random draws."""


class Words:
    """Words that stand nowhere else: no two alike, none in English, none with a digit."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._given: set[str] = set()

    def word(self) -> str:
        while True:
            syllables = (
                self._random.choice("bdfgklmnprstvz") + self._random.choice("aeiou") + "xqzj"[n % 4]
                for n in range(self._random.randint(2, 3))
            )
            word = "".join(syllables)
            if word not in self._given:
                self._given.add(word)
                return word

    def title(self) -> str:
        return " ".join(self.word() for _ in range(3)).capitalize()


def made_files(seed: int, shapes: Sequence[Shape]) -> Files:
    """Return scenarios of these shapes, with ids and texts that are unique over all of them."""
    random = Random(seed)
    words = Words(random)
    return {shape.file: _scenario(random, words, shape) for shape in shapes}


def write_files(files: Files, data: Path) -> None:
    """Put scenarios in the place of all that a folder has."""
    for path in data.glob("*.json"):
        if ".schema." not in path.name:
            path.unlink()
    for name, scenario in files.items():
        (data / name).write_text(json.dumps(scenario), encoding="utf-8")


def _scenario(random: Random, words: Words, shape: Shape) -> dict[str, Any]:
    vocabulary = [words.word() for _ in range(shape.tokens)]
    target = [_row(random, shape.tokens, shape.whole) for _ in range(shape.k)]
    return {
        "version": 1,
        "title": words.title(),
        "short_title": words.word(),
        "context": random.choice(["", words.title()]),
        "description": words.title(),
        "denominator": shape.whole,
        "vocabulary": vocabulary,
        "target": target,
        "bonus": _row(random, shape.tokens, shape.whole),
        "cost_model": dict(zip(("draft_step", "verify_pass"), shape.prices, strict=True)),
        "profiles": [
            _profile(random, words, shape, vocabulary, target, kinds) for kinds in shape.drafts
        ],
    }


def _profile(
    random: Random,
    words: Words,
    shape: Shape,
    vocabulary: list[str],
    target: list[list[int]],
    kinds: tuple[Kind, ...],
) -> dict[str, Any]:
    draft = [
        _drafted(random, row, kinds[position % len(kinds)]) for position, row in enumerate(target)
    ]

    def draw() -> str:
        return f"{random.randrange(DRAWS)}/{DRAWS}" if shape.draws == "random" else shape.draws

    return {
        "id": f"{words.word()}-{words.word()}",
        "title": words.title(),
        "short_title": words.word(),
        "description": f"{words.title()}.",
        "draft": draft,
        "proposals": [vocabulary[_picked(random, row)] for row in draft],
        "draws": {
            "accept": [draw() for _ in target],
            "replacement": f"{random.randrange(DRAWS)}/{DRAWS}",
            "bonus": f"{random.randrange(DRAWS)}/{DRAWS}",
        },
    }


def _row(random: Random, tokens: int, whole: int) -> list[int]:
    """Return numerators that add up to the whole; with three tokens or more, one of them is 0."""
    never = random.randrange(tokens) if tokens > 2 else None
    weights = [0 if token == never else random.randint(1, 9) for token in range(tokens)]
    return _rescaled(weights, whole)


def _rescaled(weights: Sequence[int], whole: int) -> list[int]:
    ends = [sum_ * whole // sum(weights) for sum_ in accumulate(weights)]
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def _drafted(random: Random, target: list[int], kind: Kind) -> list[int]:
    """Return a draft's row.

    ``near`` moves a little of the target's mass, ``equal`` none, ``apart`` has no token in common
    with it, ``sure`` has only one, and ``any`` knows nothing of it.
    """
    whole, tokens = sum(target), len(target)
    if kind == "equal":
        return list(target)
    if kind == "near":
        row = list(target)
        most, least = row.index(max(row)), row.index(min(row))
        moved = random.randint(1, max(1, row[most] // 3))
        row[most] -= moved
        row[least] += moved
        return row
    if kind == "apart":
        free = [token for token, number in enumerate(target) if not number]
        return [whole if token == free[0] else 0 for token in range(tokens)]
    if kind == "sure":
        likely = target.index(max(target))
        return [whole if token == likely else 0 for token in range(tokens)]
    return _row(random, tokens, whole)


def _picked(random: Random, row: Sequence[int]) -> int:
    """Return the place of a token by its chance."""
    return random.choices(range(len(row)), weights=row)[0]


def fractions_of(scenario: dict[str, Any]) -> Iterator[Fraction]:
    """Yield every number of a scenario's rows."""
    rows = [*scenario["target"], scenario["bonus"]]
    rows += [row for profile in scenario["profiles"] for row in profile["draft"]]
    return (Fraction(number, scenario["denominator"]) for row in rows for number in row)
