"""The runs of random rounds that the pages show, each played once and then remembered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from build_scripts.cache import remembered
from specdec.agreement import (
    AGREEMENT_SEED,
    AGREEMENT_VOCABULARY,
    AgreementProfile,
    agreement_profiles,
)
from specdec.distribution import Distribution
from specdec.expectations import committed_length_law, expected_tokens, mean_rate
from specdec.runs import Run, log_grid

Rows: TypeAlias = tuple[Sequence[Distribution], Distribution, Sequence[Distribution]]
"""Target, bonus and draft of a profile."""

ROUNDS = 10**6
FEW_ROUNDS = 100
SAMPLING_SEED = 20230202  # any fixed number: the rounds are the same in every build
CHECKPOINTS = log_grid(10, ROUNDS)

RANDOM_PROFILES = "data/random/profiles.json"
"""Where the site has the random profiles: apart from data files, which have any name."""


def run_of(
    rows: Rows,
    length_law: tuple[Fraction, ...],
    *,
    name: str,
    inputs: tuple[bytes, ...],
    cache: Path,
) -> Run:
    """Return the run of one profile.

    Args:
        rows: its target, bonus and draft.
        length_law: the law of N that follows from them.
        name: of the run, among all runs.
        inputs: all that the rows depend on, for the cache.
        cache: the project's cache folder.
    """
    plan = f"{CHECKPOINTS} {SAMPLING_SEED} numpy {version('numpy')}".encode()
    played = remembered(cache / "runs", name, (*inputs, plan), lambda: _play(rows))
    target, bonus, _draft = rows
    return Run(
        laws=(*target, bonus),
        length_law=length_law,
        checkpoints=CHECKPOINTS,
        counts=played["counts"],
        lengths=played["lengths"],
        seed=SAMPLING_SEED,
    )


def _play(rows: Rows) -> dict[str, Any]:
    from specdec.sampling import sample_path  # which loads NumPy

    path = sample_path(*rows, CHECKPOINTS, SAMPLING_SEED)
    return {
        "counts": [tally.counts.tolist() for tally in path],
        "lengths": path[-1].lengths.tolist(),
    }


@dataclass(frozen=True, slots=True)
class AgreementResults:
    """One of the random profiles, from close to far, and its run."""

    profile: AgreementProfile
    run: Run

    @property
    def rates(self) -> tuple[Fraction, ...]:
        """The acceptance rate of each position."""
        return self.profile.rates

    @property
    def mean_rate(self) -> Fraction:
        """The average of the acceptance rates."""
        return mean_rate(self.rates)

    @property
    def expected_tokens(self) -> Fraction:
        """E[N], tokens per round."""
        return expected_tokens(self.rates)


@lru_cache(maxsize=1)  # no edit of data changes them
def agreement_results(cache: Path, engine: bytes) -> tuple[AgreementResults, ...]:
    """Return the random profiles with their runs, the closest first."""
    return tuple(
        AgreementResults(
            each,
            run_of(
                (each.target, each.bonus, each.draft),
                committed_length_law(each.rates),
                name=f"agreement {each.number}",
                inputs=(engine, f"{AGREEMENT_SEED} {each.number}".encode()),
                cache=cache,
            ),
        )
        for each in agreement_profiles()
    )


@lru_cache(maxsize=1)
def random_profiles() -> bytes:
    """Return the random profiles as a JSON file, every probability as ``"n/d"``."""
    document = {
        "title": "Random targets and drafts, from nearly identical to nearly disjoint",
        "seed": AGREEMENT_SEED,
        "vocabulary": AGREEMENT_VOCABULARY,
        "profiles": [
            {
                "number": each.number,
                "target": _rows(each.target),
                "bonus": _rows([each.bonus])[0],
                "draft": _rows(each.draft),
            }
            for each in agreement_profiles()
        ],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def random_profiles_sha256() -> str:
    """Return the digest of the file of random profiles."""
    return hashlib.sha256(random_profiles()).hexdigest()


def _rows(laws: Sequence[Distribution]) -> list[list[str]]:
    return [[str(chance) for chance in law.probabilities] for law in laws]
