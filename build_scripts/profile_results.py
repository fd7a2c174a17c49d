"""Everything the pages show about one profile."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from build_scripts.wording import titled
from specdec.claims import ProfileClaims
from specdec.cost import DecodingCost, Step, cost_table, expected_passes, positions_per_token
from specdec.distribution import Token
from specdec.expectations import build_up, mean_rate, survival
from specdec.positions import Position, position
from specdec.profiles import Profile, Scenario
from specdec.report import ProfileReport, dropped_though_certain
from specdec.rounds import Frame
from specdec.runs import Run


class ProfileResults:
    """One profile of a scenario and all that was computed from it.

    Attributes:
        file_name: of the data file.
        data_sha256: of the data file.
        scenario: what the file holds.
        profile: the profile itself.
        report: its exact results.
        claims: what was verified on it.
        run: its run of random rounds.
        frames: the frames of its round.
    """

    def __init__(
        self,
        file_name: str,
        data_sha256: str,
        scenario: Scenario,
        profile: Profile,
        results: ProfileReport,
        claims: ProfileClaims,
        run: Run,
    ) -> None:
        """Take the results, and what is slow to compute; the rest is derived."""
        self.file_name = file_name
        self.data_sha256 = data_sha256
        self.scenario = scenario
        self.profile = profile
        self.report = results
        self.claims = claims
        self.run = run
        self.frames = results.round.frames

    @property
    def called(self) -> str:
        """The title as a sentence names it."""
        return titled(self.profile.title)

    @property
    def k(self) -> int:
        """Proposals per round."""
        return len(self.profile.proposals)

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """Every position with its token table."""
        return tuple(
            position(number, target, draft, proposal)
            for number, (target, draft, proposal) in enumerate(
                zip(self.scenario.target, self.profile.draft, self.profile.proposals, strict=True),
                start=1,
            )
        )

    @property
    def mean_rate(self) -> Fraction:
        """The average of the acceptance rates over the positions."""
        return mean_rate(self.report.acceptance_rates)

    @cached_property
    def survival(self) -> tuple[Fraction, ...]:
        """The chance that the first j proposals are all accepted, for j = 0 … k."""
        return survival(self.report.acceptance_rates)

    @property
    def passed(self) -> tuple[Fraction, ...]:
        """The chance that a round gets past a position, per position."""
        return self.survival[1:]

    @property
    def build_up(self) -> tuple[Fraction, ...]:
        """The sums of these chances, which end at E[N]."""
        return build_up(self.report.acceptance_rates)

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

    def frame_at(self, position: int) -> Frame:
        """Return the frame that checks the proposal at a position that the round reaches."""
        return next(frame for frame in self.checked if frame.position == position)

    def frame_id(self, frame: Frame) -> str:
        """Return the id of a frame, which links use: the profile's id and its place, from 1."""
        place = next(n for n, each in enumerate(self.frames, start=1) if each is frame)
        return f"{self.profile.id}-{place}"

    @cached_property
    def cost_table(self) -> tuple[DecodingCost, ...]:
        """The cost of k tokens: one at a time, best, average, worst."""
        return cost_table(self.report.acceptance_rates, self.scenario.cost_model)

    @property
    def round_steps(self) -> tuple[Step, ...]:
        """The steps of a round, in the order in which they take time."""
        return self.scenario.cost_model.round_steps(self.k)

    @property
    def time_saved(self) -> Fraction:
        """How much sooner this round has its tokens; below 0 where it takes longer."""
        return self.scenario.cost_model.round_saves(len(self.report.round.committed), self.k)

    @property
    def passes_saved(self) -> int:
        """Passes of the target that this round does without: all but one of its tokens’."""
        return len(self.report.round.committed) - 1

    @property
    def break_even_draft_step(self) -> Fraction:
        """The draft price at which speculating neither saves nor loses time."""
        return self.scenario.cost_model.break_even_draft_step(self.report.acceptance_rates)

    @property
    def positions_per_token(self) -> Fraction:
        """Target positions scored per committed token, 1 when generating one at a time."""
        return positions_per_token(self.report.acceptance_rates)

    @property
    def passes_for_k(self) -> Fraction:
        """Mean number of target passes until as many tokens are committed as a round proposes."""
        return expected_passes(self.report.acceptance_rates, self.k)
