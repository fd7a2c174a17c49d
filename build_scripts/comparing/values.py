"""The numbers of a site by name: what its data files hold and what the engine makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from build_scripts import wording
from build_scripts.figures.draft_length import LENGTHS, RATES
from build_scripts.profile_results import ProfileResults
from build_scripts.results import ScenarioResults
from specdec.distribution import Distribution, Token
from specdec.rounds import Frame


@dataclass(frozen=True, slots=True)
class Value:
    """One number or text.

    Attributes:
        exact: a fraction as ``n/d``, or the text.
        rounded: the fraction as pages round it; None for what is not rounded.
        worded: as pages show it.
    """

    exact: str
    rounded: str | None
    worded: str


WORDS = ("title", "short title", "description")
"""The names of what a data file says in words about a profile."""

Values: TypeAlias = dict[str, Value]
"""By name, which says what it is of, too."""


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One value that is not as it was; None where there was or is nothing."""

    name: str
    old: Value | None
    new: Value | None


def changed_values(old: Mapping[str, Value], new: Mapping[str, Value]) -> tuple[ValueChange, ...]:
    """Return every value that differs, in the order of the new ones."""
    return tuple(
        ValueChange(name, old.get(name), new.get(name))
        for name in dict.fromkeys([*new, *old])
        if old.get(name) != new.get(name)
    )


def data_values(home: ScenarioResults) -> Values:
    """Return what a data file holds, as far as it means anything: not how it is spelt."""
    scenario = home.scenario
    values = {
        "title": _text(scenario.title),
        "short title": _text(scenario.short_title),
        "context": _text(scenario.context),
        "description": _text(scenario.description),
        "denominator": _text(scenario.denominator),
        "vocabulary": _tokens(scenario.vocabulary),
        "profiles": _text(", ".join(each.profile.id for each in home.profiles)),
        "price of a draft step": _number(scenario.cost_model.draft_step),
        "price of the checking pass": _number(scenario.cost_model.verify_pass),
    }
    for place, row in enumerate(scenario.target, start=1):
        values |= _row(f"target, position {place}", row, scenario.denominator)
    return values | _row("target, bonus", scenario.bonus, scenario.denominator)


def profile_data(this: ProfileResults) -> Values:
    """Return what a data file holds about a profile."""
    profile, draws = this.profile, this.profile.draws
    said = (profile.title, profile.short_title, profile.description)
    values = dict(zip(WORDS, map(_text, said), strict=True))
    for place, row in enumerate(profile.draft, start=1):
        values |= _row(f"draft, position {place}", row, this.scenario.denominator)
    for place, (token, draw) in enumerate(zip(profile.proposals, draws.accept, strict=True), 1):
        values[f"proposal, position {place}"] = _tokens([token])
        values[f"draw, position {place}"] = _number(draw)
    values["draw of the replacement"] = _number(draws.replacement)
    values["draw of the bonus token"] = _number(draws.bonus)
    return values


def profile_results(this: ProfileResults) -> Values:
    """Return what the engine makes of a profile, the headline numbers first."""
    report = this.report
    return {
        "E[N], tokens per round": _number(report.expected_tokens),
        "cost of a round, target steps": _number(report.round_cost),
        "speed-up": _number(report.speedup, times=True),
        "break-even price of a draft step": _number(this.break_even_draft_step),
        "variance of N": _number(report.variance),
        "mean acceptance rate": _number(this.mean_rate),
        **_numbered("acceptance rate, position", report.acceptance_rates),
        **_numbered("chance to get past position", this.passed),
        **_numbered("chance of N =", report.committed_length_law),
        "target passes for k tokens": _number(this.passes_for_k),
        "target positions scored per token": _number(this.positions_per_token),
        "frames": _text(len(this.frames)),
        **{f"frame {n}": _text(_moment(frame)) for n, frame in enumerate(this.frames, start=1)},
        "proposals accepted": _text(report.round.accepted),
        "committed": _tokens(report.round.committed),
        "dropped": _tokens(this.frames[-1].dropped),
        "time saved by the round": _number(this.time_saved),
        **dict(_positions(this)),
        **dict(_distances(this)),
    }


def scenario_results(home: ScenarioResults) -> Values:
    """Return what the engine makes of a data file’s prices."""
    cost = home.scenario.cost_model
    return {
        f"best draft length at acceptance rate {rate}": _text(
            cost.best_draft_length(rate, LENGTHS[-1])
        )
        for rate in RATES
    }


def _positions(this: ProfileResults) -> Iterator[tuple[str, Value]]:
    for each in this.positions:
        place = f"position {each.number}"
        yield f"Z (mass left uncovered), {place}", _number(1 - each.rate)
        for row in each.rows:
            if row.ratio is not None:
                yield f"ratio of {_quoted(row.token)}, {place}", _number(row.ratio)
            if row.replacement is not None:
                yield f"residual of {_quoted(row.token)}, {place}", _number(row.replacement)


def _distances(this: ProfileResults) -> Iterator[tuple[str, Value]]:
    rounds = wording.grouped(this.run.rounds)
    for place, end in enumerate(this.run.ends, start=1):
        name = f"distance after {rounds} rounds, position {place}"
        if end is not None:
            yield name, Value(str(end.distance), shown := wording.decimal(end.distance, 5), shown)


def _moment(frame: Frame) -> str:
    if frame.verdict is None:
        return frame.kind if frame.token is None else f"{frame.kind} {_quoted(frame.token)}"
    said = f"{_quoted(frame.token)} {frame.verdict}"
    return f"{said}, {_quoted(frame.replacement)} in its place" if frame.replacement else said


def _row(name: str, row: Distribution, denominator: int) -> Values:
    return {
        f"{name}, {_quoted(token)}": Value(
            shown := wording.over(chance, denominator), wording.rounded(chance), shown
        )
        for token, chance in row.items()
    }


def _numbered(name: str, numbers: Iterable[Fraction]) -> Values:
    return {f"{name} {n}": _number(number) for n, number in enumerate(numbers, start=1)}


def _number(value: Fraction, *, times: bool = False) -> Value:
    shown = wording.plain(wording.about(value)) + ("×" if times else "")
    return Value(wording.exact(value), wording.rounded(value), shown)


def _text(value: object) -> Value:
    return Value(str(value), None, str(value))


def _tokens(tokens: Iterable[Token]) -> Value:
    listed = list(map(str, tokens))
    return Value(json.dumps(listed), None, " ".join(map(_quoted, listed)) or "nothing")


def _quoted(token: object) -> str:
    return f"“{token}”"
