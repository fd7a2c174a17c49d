"""The runs of random rounds that the pages show, each played once and then remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

from build_scripts.cache import remembered
from specdec.agreement import AGREEMENT_SEED, AgreementProfile, agreement_profiles
from specdec.distribution import Distribution
from specdec.expectations import expected_tokens
from specdec.runs import Run, length_law_of, log_grid, play

ROUNDS = 10**6
FEW_ROUNDS = 100
SAMPLING_SEED = 20230202  # any fixed number: the rounds are the same in every build
CHECKPOINTS = log_grid(10, ROUNDS)


def run_of(
    target: Sequence[Distribution],
    bonus: Distribution,
    draft: Sequence[Distribution],
    *,
    name: str,
    inputs: tuple[bytes, ...],
    cache: Path,
) -> Run:
    """Return the run of one profile.

    Args:
        target: its target rows.
        bonus: the target row after them.
        draft: its draft rows.
        name: of the run, among all runs.
        inputs: all that the rows depend on, for the cache.
        cache: the project's cache folder.
    """
    plan = f"{CHECKPOINTS} {SAMPLING_SEED} numpy {version('numpy')}".encode()
    played = remembered(
        cache / "runs",
        name,
        (*inputs, plan),
        lambda: play(target, bonus, draft, CHECKPOINTS, SAMPLING_SEED),
    )
    return Run(
        laws=(*target, bonus),
        length_law=length_law_of(target, draft),
        checkpoints=CHECKPOINTS,
        counts=played["counts"],
        lengths=played["lengths"],
        seed=SAMPLING_SEED,
    )


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
        return sum(self.rates, start=Fraction(0)) / len(self.rates)

    @property
    def expected_tokens(self) -> Fraction:
        """E[N], tokens per round."""
        return expected_tokens(self.rates)


def agreement_results(cache: Path, engine: bytes) -> tuple[AgreementResults, ...]:
    """Return the random profiles with their runs, the closest first."""
    return tuple(
        AgreementResults(
            each,
            run_of(
                each.target,
                each.bonus,
                each.draft,
                name=f"agreement {each.number}",
                inputs=(engine, f"{AGREEMENT_SEED} {each.number}".encode()),
                cache=cache,
            ),
        )
        for each in agreement_profiles()
    )
