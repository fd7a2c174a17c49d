"""Everything the pages show, computed once per build."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import specdec
from build_scripts.cache import Say, code_digest, remembered
from build_scripts.errors import SiteError
from build_scripts.profile_results import ProfileResults
from build_scripts.sampled import ROUNDS, AgreementResults, agreement_results, run_of
from build_scripts.wording import decimal, titled
from build_scripts.wrong_results import RuleResults, rule_results
from specdec.claims import ProfileClaims, RandomPairs, check_profile, check_random_pairs
from specdec.convergence import FALSE_ALARM
from specdec.cost import CostModel
from specdec.errors import SpecdecError
from specdec.expectations import widest_gap
from specdec.positions import Position
from specdec.profiles import Profile, Scenario, load_all
from specdec.report import ProfileReport, report
from specdec.rounds import Frame
from specdec.runs import Run

RANDOM_PAIRS = 5000
RANDOM_PAIRS_SEED = 20230711  # any fixed number: the pairs are the same in every build

_SAFE_NAME = re.compile("[^#?%\x00-\x1f\x7f\ud800-\udfff]+")
"""Data files are on the site under their own names, so the names have to work in addresses."""


_SLUG = re.compile("[a-z0-9]+(-[a-z0-9]+)*")


def _slug_of_any(name: str) -> str:
    """Return a name for addresses that no other name has, and that stays."""
    return f"data-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


class ScenarioResults:
    """One data file and all that was computed from it."""

    def __init__(self, path: Path, scenario: Scenario, cache: Path, engine: bytes) -> None:
        """Compute the results of every profile, the claims by way of the cache."""
        self.file_name = path.name
        self.name = path.name.partition(".")[0]
        self.slug = self.name if _SLUG.fullmatch(self.name) else _slug_of_any(self.name)
        self.scenario = scenario
        self.data = path.read_bytes()
        self.sha256 = hashlib.sha256(self.data).hexdigest()
        self.profiles = tuple(
            self._profile(profile, report(scenario, profile), cache, engine)
            for profile in scenario.profiles
        )

    @property
    def called(self) -> str:
        """The title as a sentence names it."""
        return titled(self.scenario.title)

    @property
    def apart(self) -> tuple[tuple[ProfileResults, ...], tuple[ProfileResults, ...]]:
        """The profiles with the most tokens per round, and those with the fewest."""
        tokens = [each.report.expected_tokens for each in self.profiles]
        most, fewest = (
            tuple(each for each in self.profiles if each.report.expected_tokens == bound)
            for bound in (max(tokens), min(tokens))
        )
        return most, fewest

    @cached_property
    def lookalikes(self) -> tuple[Lookalike, ...]:
        """What prints alike over the profiles of this file."""
        return lookalikes(self.profiles)

    @property
    def widest_gap(self) -> tuple[Fraction, tuple[int, ...]]:
        """How far the acceptance rates at one position are apart, at most, and at which, from 1."""
        return widest_gap([each.report.acceptance_rates for each in self.profiles])

    def _profile(
        self, profile: Profile, results: ProfileReport, cache: Path, engine: bytes
    ) -> ProfileResults:
        rows = (self.scenario.target, self.scenario.bonus, profile.draft)
        inputs = (engine, repr(rows).encode())  # no other profile, no price, no title
        claims = ProfileClaims(
            **remembered(
                cache / "claims",
                profile.id,
                inputs,
                lambda: asdict(check_profile(self.scenario, profile, results)),
            )
        )
        run = run_of(
            rows, results.committed_length_law, name=profile.id, inputs=inputs, cache=cache
        )
        return ProfileResults(
            self.file_name, self.sha256, self.scenario, profile, results, claims, run
        )


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A number in print that is E[N] of some profiles and the speed-up of others, and differs.

    Attributes:
        shown: as it is printed.
        tokens: the profiles whose E[N] it is.
        faster: those whose speed-up it is.
        places: how often a table of E[N], cost and speed-up of all profiles shows it.
    """

    shown: str
    tokens: tuple[ProfileResults, ...]
    faster: tuple[ProfileResults, ...]
    places: int

    @property
    def token_counts(self) -> tuple[Fraction, ...]:
        """The tokens per round behind it, each number once."""
        return tuple(dict.fromkeys(each.report.expected_tokens for each in self.tokens))

    @property
    def factors(self) -> tuple[Fraction, ...]:
        """The speed-ups behind it, each number once."""
        return tuple(dict.fromkeys(each.report.speedup for each in self.faster))

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """All numbers behind it, each once."""
        return tuple(dict.fromkeys((*self.token_counts, *self.factors)))


def lookalikes(profiles: Sequence[ProfileResults]) -> tuple[Lookalike, ...]:
    """Return what prints as E[N] and as a speed-up, and is not one number, in order of E[N]."""
    by_print: tuple[dict[str, list[ProfileResults]], ...] = ({}, {}, {})
    for each in profiles:
        results = each.report
        numbers = (results.expected_tokens, results.speedup, results.round_cost)
        for found, number in zip(by_print, numbers, strict=True):
            found.setdefault(decimal(number), []).append(each)
    alike = []
    for shown, tokens in by_print[0].items():
        faster = by_print[1].get(shown, [])
        counts = {each.report.expected_tokens for each in tokens}
        factors = {each.report.speedup for each in faster}
        if faster and len(counts | factors) > 1:
            alike.append(
                Lookalike(
                    shown,
                    tuple(each for each in tokens if factors - {each.report.expected_tokens}),
                    tuple(each for each in faster if counts - {each.report.speedup}),
                    len(tokens) + len(faster) + len(by_print[2].get(shown, [])),
                )
            )
    return tuple(alike)


@dataclass(frozen=True, slots=True)
class Moment:
    """One frame and the profile it is from."""

    of: ProfileResults
    frame: Frame

    @property
    def id(self) -> str:
        """The id of the frame on the pages."""
        return self.of.frame_id(self.frame)


def _first(moments: Iterable[Moment], condition: Callable[[Frame], bool]) -> Moment | None:
    return next((moment for moment in moments if condition(moment.frame)), None)


@dataclass(frozen=True)
class Results:
    """Everything the pages show.

    Attributes:
        scenarios: by the first part of the file's name, e.g. ``profiles``.
        random_pairs: what was verified on random pairs of distributions.
        agreement: the random profiles, from close to far.
        wrong: what each wrong rule does, by its id.
        engine_version: of `specdec`.
    """

    scenarios: dict[str, ScenarioResults]
    random_pairs: RandomPairs
    agreement: tuple[AgreementResults, ...]
    wrong: dict[str, RuleResults]
    engine_version: str = specdec.__version__

    @property
    def main(self) -> ScenarioResults:
        """The scenario that the home page shows: the first."""
        return next(iter(self.scenarios.values()))

    @property
    def profiles(self) -> tuple[ProfileResults, ...]:
        """Every profile of every scenario, in the order of the files."""
        return tuple(each for home in self.scenarios.values() for each in home.profiles)

    @property
    def runs(self) -> dict[str, Run]:
        """Every run of random rounds, by what to call its profile."""
        return {
            **{f"{each.file_name}: profile {each.profile.id}": each.run for each in self.profiles},
            **{f"random profile {each.profile.number}": each.run for each in self.agreement},
        }

    @property
    def tests_made(self) -> int:
        """How many tests of random rounds had anything to test, over all runs."""
        return sum(run.tested for run in self.runs.values())

    @property
    def moments(self) -> tuple[Moment, ...]:
        """Every frame that checks a proposal, of every profile."""
        return tuple(Moment(each, frame) for each in self.profiles for frame in each.checked)

    @property
    def capped(self) -> Moment | None:
        """A proposal that the target likes more than the draft: its ratio is capped at 1."""
        return _first(self.moments, lambda frame: frame.ratio is not None and frame.ratio > 1)

    @property
    def forbidden(self) -> Moment | None:
        """A proposal that the target never picks."""
        return _first(self.moments, lambda frame: frame.target == 0)

    @property
    def lucky(self) -> Moment | None:
        """A proposal that its draw kept and another draw would not have."""
        return next((Moment(each, frame) for each in self.profiles for frame in each.lucky), None)

    @property
    def rejection(self) -> Moment | None:
        """The rejection that drops most that certainly would have been kept."""
        return max(
            (moment for moment in self.moments if moment.frame.verdict == "rejected"),
            key=lambda moment: len(moment.of.dropped_though_certain),
            default=None,
        )

    @property
    def bonus(self) -> Moment | None:
        """A bonus token: nothing of its round was rejected."""
        return next(
            (
                Moment(each, frame)
                for each in self.profiles
                for frame in each.frames
                if frame.kind == "bonus"
            ),
            None,
        )

    @property
    def worked(self) -> tuple[ProfileResults, Position]:
        """The position on which the pages work the identity out: where something is rejected."""
        rejection = self.rejection
        of = rejection.of if rejection else self.profiles[0]
        number = rejection.frame.position if rejection else 1
        return of, next(each for each in of.positions if each.number == number)

    draft_lengths: ClassVar = (1, 2, 4, 8, 16)

    def speedups(self, cost: CostModel) -> list[tuple[Fraction, list[Fraction]]]:
        """Return speed-ups with equal rates: a rate, and one speed-up per draft length."""
        return [
            (rate, [cost.speedup([rate] * k) for k in self.draft_lengths])
            for rate in (Fraction(1, 10), Fraction(1, 2), Fraction(3, 4), Fraction(7, 8))
        ]

    @cached_property
    def lookalikes(self) -> tuple[Lookalike, ...]:
        """What prints alike over all profiles."""
        return lookalikes(self.profiles)

    @property
    def vocabulary_sizes(self) -> tuple[int, ...]:
        """How many tokens the vocabularies have, each number once, ascending."""
        return tuple(sorted({len(home.scenario.vocabulary) for home in self.scenarios.values()}))


def compute(
    root: Path,
    say: Say = lambda _line: None,
    *,
    stories: Mapping[str, str] = MappingProxyType({}),
    data: Path | None = None,
    of_data: Path | None = None,
) -> Results:
    """Load every scenario of ``root/data`` and compute all results.

    Args:
        root: the project folder.
        say: told what is computed.
        stories: pages that are about one data file each: name of the file → page.
        data: another folder of data files.
        of_data: another cache folder for what follows from them, so that it takes the place of
            nothing in the project's own.

    Raises:
        SiteError: bad data, every fault of every file; no data, or not that of a story; or a claim
            that does not hold, which is never published.
    """
    loaded = load_data(data or root / "data", stories)
    cache, engine = root / ".cache", code_digest(root / "specdec")
    of_data = of_data or cache
    scenarios = {}
    for path, scenario in loaded.items():
        say(f"computing {path.name}: {', '.join(profile.id for profile in scenario.profiles)}")
        home = ScenarioResults(path, scenario, of_data, engine)
        scenarios[home.name] = home
    say(f"checking {RANDOM_PAIRS:,} random pairs of distributions")
    random_pairs = RandomPairs(
        **remembered(
            cache / "claims",
            "random pairs",
            (engine, f"{RANDOM_PAIRS} {RANDOM_PAIRS_SEED}".encode()),
            lambda: asdict(check_random_pairs(RANDOM_PAIRS, RANDOM_PAIRS_SEED)),
        )
    )
    say(f"playing {ROUNDS:,} random rounds of each profile")
    results = Results(
        scenarios,
        random_pairs,
        agreement_results(cache, engine),
        rule_results(
            [each for home in scenarios.values() for each in home.profiles], of_data, engine
        ),
    )
    _require_true_claims(results)
    return results


def load_data(
    folder: Path, stories: Mapping[str, str] = MappingProxyType({})
) -> dict[Path, Scenario]:
    """Return what every data file of a folder holds.

    Raises:
        SiteError: every fault of every file; no data, or not that of a story.
    """
    paths = data_files(folder)
    faults = _missing(folder, paths, stories)
    try:
        loaded = load_all([shown_path(path) for path in paths])
    except SpecdecError as refusal:
        raise SiteError("\n".join([*faults, str(refusal)])) from refusal
    if faults:
        raise SiteError("\n".join(faults))
    return dict(zip(paths, loaded, strict=True))


def data_files(folder: Path) -> list[Path]:
    """Return every data file: the ``*.json`` that are no schema, shipped profiles first.

    Raises:
        SiteError: there is none, or two would have the same name on the site.
    """
    paths = sorted(
        (path for path in folder.glob("[!.]*.json") if ".schema." not in path.name),
        key=lambda path: (path.name != "profiles.v1.json", path.name),
    )
    if not paths:
        raise SiteError(f"{folder}: expected at least one data file (*.json), found none")
    named: dict[str, Path] = {}
    for path in paths:
        if not _SAFE_NAME.fullmatch(path.name):
            raise SiteError(
                f"{shown_path(path)!r}: expected a name without # ? % or what is no text"
            )
        first = named.setdefault(path.name.partition(".")[0], path)
        if first is not path:
            raise SiteError(
                f"{shown_path(path)}: expected a name that differs before its first dot from "
                f"{first.name}"
            )
    return paths


def _missing(folder: Path, paths: Sequence[Path], stories: Mapping[str, str]) -> list[str]:
    """Say which pages tell of a data file that is not there."""
    there = {path.name.partition(".")[0] for path in paths}
    return [
        f"{shown_path(folder / file)}: expected a scenario, which {page} tells of; found only "
        f"{', '.join(path.name for path in paths)} in that folder"
        for file, page in stories.items()
        if file.partition(".")[0] not in there
    ]


def shown_path(path: Path) -> Path:
    """Return a path as a person in the current folder would type it, for messages."""
    here = Path.cwd()
    return path.resolve().relative_to(here) if path.resolve().is_relative_to(here) else path


def _require_true_claims(results: Results) -> None:
    false = [
        f"{each.file_name}: profile {each.profile.id}: a claim that the pages make does not "
        f"hold: {each.claims}"
        for each in results.profiles
        if not each.claims.hold
    ]
    false += [
        f"{name}: a test of its random rounds fails, which by chance happens once in "
        f"{1 / FALSE_ALARM} runs"
        for name, run in results.runs.items()
        if not run.passes
    ]
    if not results.random_pairs.hold:
        false.append(f"a claim does not hold on random pairs: {results.random_pairs}")
    if false:
        raise SiteError("\n".join(false))
