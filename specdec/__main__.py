"""The command line: ``python -m specdec check FILE…`` and ``python -m specdec report FILE``."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction

from specdec.errors import SpecdecError, shown
from specdec.profiles import Profile, Scenario, load, load_all
from specdec.report import ProfileReport, report

BAD_DATA = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 1 for bad data (2, usage, is argparse's)."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "check":
            print(_checked(options.files))
        else:
            print(_reported(options.file, options.profile, as_json=options.json))
    except SpecdecError as refusal:
        print(refusal, file=sys.stderr)
        return BAD_DATA
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m specdec", description="Speculative decoding, computed exactly."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser(
        "check", help="validate data files; every fault is listed", description="Validate files."
    )
    check.add_argument("files", nargs="+", metavar="FILE", help="a scenario, e.g. data/….v1.json")
    results = commands.add_parser(
        "report", help="print the exact results of a file", description="Print exact results."
    )
    results.add_argument("file", metavar="FILE", help="a scenario, e.g. data/profiles.v1.json")
    results.add_argument("--profile", metavar="ID", help="only this profile")
    results.add_argument("--json", action="store_true", help="as JSON, fractions as strings")
    return parser


def _checked(files: Sequence[str]) -> str:
    return "\n".join(
        f"{file}: good, {_count(len(scenario.profiles), 'profile')} "
        f"({', '.join(profile.id for profile in scenario.profiles)})"
        for file, scenario in zip(files, load_all(files), strict=True)
    )


def _reported(file: str, wanted: str | None, *, as_json: bool) -> str:
    scenario = load(file)
    reports = [report(scenario, profile) for profile in _chosen(scenario, wanted)]
    if as_json:
        return json.dumps([each.as_json() for each in reports], indent=2, ensure_ascii=True)
    return "\n\n".join(_text(scenario, each) for each in reports)


def _chosen(scenario: Scenario, wanted: str | None) -> Iterable[Profile]:
    if wanted is None:
        return scenario.profiles
    chosen = [profile for profile in scenario.profiles if profile.id == wanted]
    if not chosen:
        known = ", ".join(profile.id for profile in scenario.profiles)
        raise SpecdecError(f"--profile: expected one of {known}, got {shown(wanted)}")
    return chosen


def _text(scenario: Scenario, results: ProfileReport) -> str:
    rates = [
        (f"position {n}", str(rate), _decimal(rate))
        for n, rate in enumerate(results.acceptance_rates, start=1)
    ]
    law = [
        (f"N = {n}", str(chance), _decimal(chance))
        for n, chance in enumerate(results.committed_length_law, start=1)
    ]
    totals = [
        ("expected tokens E[N]", results.expected_tokens),
        ("variance of N", results.variance),
        ("cost of a round", results.round_cost),
        ("speed-up", results.speedup),
    ]
    price = scenario.cost_model
    return "\n".join(
        [
            f"{results.title} ({results.id})",
            "",
            "Acceptance rate, whatever the draft proposes",
            *_table(rates),
            "",
            "Tokens committed in a round",
            *_table(law),
            "",
            *_table([(name, str(value), _decimal(value)) for name, value in totals]),
            "",
            f"Costs in ordinary target steps, assuming {price.draft_step} per draft step and "
            f"{price.verify_pass} per verifying pass.",
            f"Frames: {', '.join(frame.kind for frame in results.round.frames)}",
            f"Committed: {' '.join(map(_visible, results.round.committed))}",
        ]
    )


def _table(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    name, exact = (max(len(row[column]) for row in rows) for column in (0, 1))
    return [f"  {row[0]:<{name}}  {row[1]:>{exact}}  {row[2]:>8}" for row in rows]


def _decimal(value: Fraction) -> str:
    """Round to four places, exactly: formatting a Fraction needs Python 3.12."""
    scaled = round(value * 10_000)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{abs(scaled) // 10_000}.{abs(scaled) % 10_000:04}"


def _visible(token: object) -> str:
    """Quote a token that would be lost or run into the next one in plain text."""
    text = str(token)
    return text if text.isprintable() and not any(map(str.isspace, text)) else repr(text)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _run() -> int:
    """Run as a program: a terminal without Unicode or a reader that leaves early is no error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = main()
        if sys.stdout is not None:  # it is when closed by the caller
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as fault:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more
        if isinstance(fault, BrokenPipeError):
            return 0
        print(f"output: cannot be written ({fault.strerror})", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(_run())
