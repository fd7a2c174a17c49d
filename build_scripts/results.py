"""Everything the pages show, computed once per build."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import specdec
from build_scripts.cache import code_digest, remembered
from build_scripts.errors import SiteError
from build_scripts.wording import decimal
from specdec.claims import ProfileClaims, RandomPairs, check_profile, check_random_pairs
from specdec.cost import DecodingCost, cost_table, expected_passes, positions_per_token
from specdec.distribution import Distribution, Token
from specdec.errors import SpecdecError
from specdec.expectations import survival
from specdec.profiles import Profile, Scenario, load_all
from specdec.report import ProfileReport, dropped_though_certain, report
from specdec.rounds import Frame
from specdec.verification import (
    accept_probability,
    acceptance_rate,
    committed_law,
    overlap,
    residual,
    uncovered,
)

RANDOM_PAIRS = 5000
RANDOM_PAIRS_SEED = 20230711  # any fixed number: the pairs are the same in every build

Say = Callable[[str], None]
"""Tells a person what the build is doing."""


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token at one position, with everything computed from its two probabilities.

    Attributes:
        token: the token.
        target: its target probability; ``draft`` likewise.
        draft: its draft probability.
        kept: min(target, draft), committed by acceptance.
        leftover: max(0, target - draft), committed by correction.
        ratio: target / draft; None where the draft never proposes it.
        acceptance: the ratio capped at 1; None where the draft never proposes it.
        replacement: probability in the residual; None where nothing is ever rejected.
        committed: probability that the position commits it.
    """

    token: Token
    target: Fraction
    draft: Fraction
    kept: Fraction
    leftover: Fraction
    ratio: Fraction | None
    acceptance: Fraction | None
    replacement: Fraction | None
    committed: Fraction


@dataclass(frozen=True, slots=True)
class Position:
    """One position of a profile.

    Attributes:
        number: from 1.
        rows: one per token, in vocabulary order.
        rate: its acceptance rate; 1 - rate is Z, the mass the draft left uncovered.
        proposal: the token that the profile's round drafts here.
    """

    number: int
    rows: tuple[TokenRow, ...]
    rate: Fraction
    proposal: Token


class ProfileResults:
    """One profile and all that was computed from it."""

    def __init__(self, home: ScenarioResults, profile: Profile, claims: ProfileClaims) -> None:
        """Compute what is quick to compute; the claims, slow to verify, are handed in."""
        self.home = home
        self.scenario = home.scenario
        self.profile = profile
        self.claims = claims
        self.report = home.reports[profile.id]
        self.frames = self.report.round.frames

    @property
    def k(self) -> int:
        """Proposals per round."""
        return len(self.profile.proposals)

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """Every position with its token table."""
        return tuple(
            _position(number, target, draft, proposal)
            for number, (target, draft, proposal) in enumerate(
                zip(self.scenario.target, self.profile.draft, self.profile.proposals, strict=True),
                start=1,
            )
        )

    @cached_property
    def survival(self) -> tuple[Fraction, ...]:
        """The chance that the first j proposals are all accepted, for j = 0 … k."""
        return survival(self.report.acceptance_rates)

    @property
    def checked(self) -> tuple[Frame, ...]:
        """The frames that check a proposal."""
        return tuple(frame for frame in self.frames if frame.kind == "verify")

    @property
    def rejection(self) -> Frame | None:
        """The frame that rejects, if one does."""
        return next((frame for frame in self.checked if frame.verdict == "rejected"), None)

    @property
    def lucky(self) -> tuple[Frame, ...]:
        """The acceptances that another draw would have turned into a rejection."""
        return tuple(
            frame
            for frame in self.checked
            if frame.verdict == "accepted" and frame.accept_probability != 1
        )

    @property
    def dropped_though_certain(self) -> tuple[Token, ...]:
        """The dropped proposals that any draw would have accepted."""
        return dropped_though_certain(self.scenario, self.profile, self.report.round)

    def frame_id(self, frame: Frame) -> str:
        """Return the id of a frame, which links use: the profile's id and its place, from 1."""
        place = next(n for n, each in enumerate(self.frames, start=1) if each is frame)
        return f"{self.profile.id}-{place}"

    @cached_property
    def cost_table(self) -> tuple[DecodingCost, ...]:
        """The cost of k tokens: one at a time, best, average, worst."""
        return cost_table(self.report.acceptance_rates, self.scenario.cost_model)

    @property
    def break_even_draft_step(self) -> Fraction:
        """The draft price at which speculating neither saves nor loses time."""
        return self.scenario.cost_model.break_even_draft_step(self.report.acceptance_rates)

    @property
    def positions_per_token(self) -> Fraction:
        """Target positions scored per committed token, 1 when generating one at a time."""
        return positions_per_token(self.report.acceptance_rates)

    def passes_for(self, tokens: int) -> Fraction:
        """Mean number of target passes until that many tokens are committed."""
        return expected_passes(self.report.acceptance_rates, tokens)


class ScenarioResults:
    """One data file and all that was computed from it."""

    def __init__(self, path: Path, scenario: Scenario, cache: Path, engine: bytes) -> None:
        """Compute the results of every profile, the claims by way of the cache."""
        self.file_name = path.name
        self.name = path.name.partition(".")[0]
        self.scenario = scenario
        self.data = path.read_bytes()
        self.sha256 = hashlib.sha256(self.data).hexdigest()
        self.reports: dict[str, ProfileReport] = {
            profile.id: report(scenario, profile) for profile in scenario.profiles
        }
        self.profiles = tuple(
            ProfileResults(self, profile, self._claims(profile, cache, engine))
            for profile in scenario.profiles
        )

    def _claims(self, profile: Profile, cache: Path, engine: bytes) -> ProfileClaims:
        return ProfileClaims(
            **remembered(
                cache / "claims",
                profile.id,
                (engine, self.data),
                lambda: asdict(check_profile(self.scenario, profile, self.reports[profile.id])),
            )
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """One frame that checks a proposal, and the profile it is from."""

    of: ProfileResults
    frame: Frame

    @property
    def id(self) -> str:
        """The id of the frame on the pages."""
        return self.of.frame_id(self.frame)


def _first(moments: Iterable[Moment], condition: Callable[[Frame], bool]) -> Moment | None:
    return next((moment for moment in moments if condition(moment.frame)), None)


@dataclass(frozen=True, slots=True)
class Results:
    """Everything the pages show.

    Attributes:
        scenarios: by the first part of the file's name, e.g. ``profiles``.
        random_pairs: what was verified on random pairs of distributions.
        engine_version: of `specdec`.
    """

    scenarios: dict[str, ScenarioResults]
    random_pairs: RandomPairs
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
        return _first(
            self.moments,
            lambda frame: frame.verdict == "accepted" and frame.accept_probability != 1,
        )

    @property
    def rejection(self) -> Moment | None:
        """The rejection that drops most that certainly would have been kept."""
        return max(
            (moment for moment in self.moments if moment.frame.verdict == "rejected"),
            key=lambda moment: len(moment.of.dropped_though_certain),
            default=None,
        )

    @property
    def worked(self) -> tuple[ProfileResults, Position]:
        """The position on which the pages work the identity out: where something is rejected."""
        rejection = self.rejection
        of = rejection.of if rejection else self.profiles[0]
        number = rejection.frame.position if rejection else 1
        return of, next(each for each in of.positions if each.number == number)

    @property
    def lookalikes(self) -> tuple[tuple[ProfileResults, ProfileResults], ...]:
        """Pairs of profiles (a, b) where E[N] of a and the speed-up of b differ but print alike."""
        return tuple(
            (tokens, faster)
            for tokens in self.profiles
            for faster in self.profiles
            if tokens.report.expected_tokens != faster.report.speedup
            and decimal(tokens.report.expected_tokens) == decimal(faster.report.speedup)
        )


def compute(root: Path, say: Say = lambda _line: None) -> Results:
    """Load every scenario of ``root/data`` and compute all results.

    Raises:
        SiteError: bad data, every fault of every file; no data; or a claim that does not hold,
            which is never published.
    """
    paths = data_files(root)
    try:
        loaded = load_all([_shown(path) for path in paths])
    except SpecdecError as refusal:
        raise SiteError(str(refusal)) from refusal
    cache, engine = root / ".cache", code_digest(root / "specdec")
    scenarios = {}
    for path, scenario in zip(paths, loaded, strict=True):
        say(f"computing {path.name}: {', '.join(profile.id for profile in scenario.profiles)}")
        home = ScenarioResults(path, scenario, cache, engine)
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
    results = Results(scenarios, random_pairs)
    _require_true_claims(results)
    return results


def data_files(root: Path) -> list[Path]:
    """Return every data file: the ``data/*.json`` that are no schema, shipped profiles first.

    Raises:
        SiteError: there is none, or two would have the same name on the site.
    """
    paths = sorted(
        (path for path in (root / "data").glob("*.json") if ".schema." not in path.name),
        key=lambda path: (path.name != "profiles.v1.json", path.name),
    )
    if not paths:
        raise SiteError(f"{root / 'data'}: expected at least one data file (*.json), found none")
    return paths


def _shown(path: Path) -> Path:
    """Return a path as a person in the current folder would type it, for messages."""
    here = Path.cwd()
    return path.resolve().relative_to(here) if path.resolve().is_relative_to(here) else path


def _require_true_claims(results: Results) -> None:
    false = [
        f"{each.home.file_name}: profile {each.profile.id}: a claim that the pages make does not "
        f"hold: {each.claims}"
        for each in results.profiles
        if not each.claims.hold
    ]
    if not results.random_pairs.hold:
        false.append(f"a claim does not hold on random pairs: {results.random_pairs}")
    if false:
        raise SiteError("\n".join(false))


def _position(number: int, target: Distribution, draft: Distribution, proposal: Token) -> Position:
    leftover = uncovered(target, draft)
    replacements = residual(target, draft).probabilities if any(leftover) else None
    columns = zip(
        target.items(),
        draft.probabilities,
        overlap(target, draft),
        leftover,
        committed_law(target, draft).probabilities,
        strict=True,
    )
    return Position(
        number=number,
        rows=tuple(
            TokenRow(
                token=token,
                target=wanted,
                draft=offered,
                kept=kept,
                leftover=left,
                ratio=wanted / offered if offered else None,
                acceptance=accept_probability(target, draft, token) if offered else None,
                replacement=replacements[index] if replacements else None,
                committed=committed,
            )
            for index, ((token, wanted), offered, kept, left, committed) in enumerate(columns)
        ),
        rate=acceptance_rate(target, draft),
        proposal=proposal,
    )
