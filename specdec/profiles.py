"""Data files: a scenario and its draft profiles, checked completely before anything uses them.

`specdec.rules` says what a file must hold; what passes is built here without further checks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from specdec.cost import CostModel
from specdec.distribution import Distribution
from specdec.errors import ProfileError
from specdec.rounds import Draws
from specdec.rules import check_scenario
from specdec.source import read


@dataclass(frozen=True, slots=True)
class Profile:
    """One draft model against the scenario's target, and one authored round.

    Attributes:
        id: unique over all files; names pages and files.
        title: a heading.
        short_title: labels switches; the title where the file gives none.
        description: a sentence or two, or nothing.
        draft: the k draft distributions.
        proposals: the k tokens that the draft proposes.
        draws: the random numbers of the round.
    """

    id: str
    title: str
    short_title: str
    description: str
    draft: tuple[Distribution, ...]
    proposals: tuple[str, ...]
    draws: Draws


@dataclass(frozen=True, slots=True)
class Scenario:
    """What one file holds.

    Attributes:
        title: a heading.
        short_title: labels switches; the title where the file gives none.
        context: the text that the round continues, or nothing.
        description: a sentence or two, or nothing.
        denominator: of all probabilities of the file.
        vocabulary: the tokens, in the order in which draws walk through them.
        target: the k target distributions.
        bonus: the target distribution after the last position.
        cost_model: what drafting and verifying cost.
        profiles: at least one.
    """

    title: str
    short_title: str
    context: str
    description: str
    denominator: int
    vocabulary: tuple[str, ...]
    target: tuple[Distribution, ...]
    bonus: Distribution
    cost_model: CostModel
    profiles: tuple[Profile, ...]

    @property
    def k(self) -> int:
        """The draft length: positions of a round, at least 1."""
        return len(self.target)


def load(path: str | os.PathLike[str]) -> Scenario:
    """Read and check one file.

    Args:
        path: a file as described by ``data/profiles.v1.schema.json``.

    Raises:
        ProfileError: every fault of the file, each with its line.
    """
    return load_all([path])[0]


def load_all(paths: Iterable[str | os.PathLike[str]]) -> tuple[Scenario, ...]:
    """Read and check several files that are shown together, so that ids are unique over all.

    Args:
        paths: the files, in the order of the result.

    Raises:
        ProfileError: every fault of every file.
    """
    loaded = load_each(paths)
    require_good(loaded)
    return tuple(each for each in loaded if isinstance(each, Scenario))


def load_each(paths: Iterable[str | os.PathLike[str]]) -> tuple[Scenario | ProfileError, ...]:
    """Read and check several files that are shown together, as `load_all` does.

    Returns:
        What each file holds, or its faults, in the order of the files.
    """
    ids: dict[str, str] = {}
    return tuple(_loaded(path, ids) for path in paths)


def require_good(loaded: Iterable[Scenario | ProfileError]) -> None:
    """Refuse files of which any has a fault.

    Args:
        loaded: of `load_each`.

    Raises:
        ProfileError: every fault of every file.
    """
    faults = [fault for each in loaded if isinstance(each, ProfileError) for fault in each.faults]
    if faults:
        raise ProfileError(faults)


def _loaded(path: str | os.PathLike[str], ids: dict[str, str]) -> Scenario | ProfileError:
    try:
        return _load(path, ids)
    except ProfileError as refusal:
        return refusal


def _load(path: str | os.PathLike[str], ids: dict[str, str]) -> Scenario:
    document = read(path)
    check_scenario(document, ids)
    return _scenario(document.root.plain())


def _scenario(data: dict[str, Any]) -> Scenario:
    """Build from checked data."""
    vocabulary, denominator = tuple(data["vocabulary"]), data["denominator"]

    def distribution(row: list[int]) -> Distribution:
        return Distribution.from_numerators(vocabulary, row, denominator)

    def profile(data: dict[str, Any]) -> Profile:
        return Profile(
            id=data["id"],
            title=data["title"],
            short_title=data.get("short_title", data["title"]),
            description=data.get("description", ""),
            draft=tuple(map(distribution, data["draft"])),
            proposals=tuple(data["proposals"]),
            draws=Draws(**data["draws"]),
        )

    return Scenario(
        title=data["title"],
        short_title=data.get("short_title", data["title"]),
        context=data["context"],
        description=data.get("description", ""),
        denominator=denominator,
        vocabulary=vocabulary,
        target=tuple(map(distribution, data["target"])),
        bonus=distribution(data["bonus"]),
        cost_model=CostModel(**data["cost_model"]),
        profiles=tuple(map(profile, data["profiles"])),
    )
