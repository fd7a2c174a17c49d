"""The command line: ``python -m specdec check FILE…``, ``report FILE`` and ``sample FILE``."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence

from specdec.errors import SpecdecError, shown
from specdec.printing import counted, report_text, tally_text
from specdec.profiles import Profile, Scenario, load, load_each, require_good
from specdec.report import report

BAD_DATA = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 1 for bad data (2, usage, is argparse's)."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "check":
            _check(options.files)
        elif options.command == "report":
            print(_reported(options.file, options.profile, as_json=options.json))
        else:
            print(_sampled(options))
    except SpecdecError as refusal:
        with contextlib.suppress(BrokenPipeError):  # a reader that leaves early changes no verdict
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
    sample = commands.add_parser(
        "sample",
        help="play many rounds with random numbers and count what they commit",
        description="Play rounds with random numbers; the same seed gives the same counts.",
    )
    sample.add_argument("file", metavar="FILE", help="a scenario, e.g. data/profiles.v1.json")
    sample.add_argument("--profile", metavar="ID", required=True, help="the profile to play")
    for option, metavar, default, help in (
        ("--rounds", "N", 1_000_000, "how many"),
        ("--seed", "S", 0, "a whole number >= 0"),
        ("--workers", "W", 1, "threads; of no effect on the counts"),
    ):
        sample.add_argument(
            option, metavar=metavar, type=int, default=default, help=f"{help} (default: {default})"
        )
    sample.add_argument("--json", action="store_true", help="as JSON")
    return parser


def _check(files: Sequence[str]) -> None:
    """Print which files are good, and refuse the others."""
    loaded = load_each(files)
    for file, scenario in zip(files, loaded, strict=True):
        if isinstance(scenario, Scenario):
            ids = ", ".join(profile.id for profile in scenario.profiles)
            print(f"{file}: good, {counted(len(scenario.profiles), 'profile')} ({ids})")
    require_good(loaded)


def _reported(file: str, wanted: str | None, *, as_json: bool) -> str:
    scenario = load(file)
    reports = [report(scenario, profile) for profile in _chosen(scenario, wanted)]
    if as_json:
        return json.dumps([each.as_json() for each in reports], indent=2, ensure_ascii=True)
    return "\n\n".join(report_text(scenario, each) for each in reports)


def _chosen(scenario: Scenario, wanted: str | None) -> Iterable[Profile]:
    if wanted is None:
        return scenario.profiles
    chosen = [profile for profile in scenario.profiles if profile.id == wanted]
    if not chosen:
        known = ", ".join(profile.id for profile in scenario.profiles)
        raise SpecdecError(f"--profile: expected one of {known}, got {shown(wanted)}")
    return chosen


def _sampled(options: argparse.Namespace) -> str:
    """Play the rounds, with a progress bar where a person is waiting."""
    scenario = load(options.file)
    (profile,) = _chosen(scenario, options.profile)
    try:
        from tqdm import tqdm

        from specdec.sampling import require_rounds, sample_rounds
    except ImportError as missing:
        raise SpecdecError(
            f"sample: expected NumPy and tqdm to be installed, found no {missing.name or missing}"
        ) from missing
    require_rounds(options.rounds)  # which the bar shows, before anything is played
    done = 0

    def finished(rounds: int) -> None:
        nonlocal done
        done += rounds
        bar.update(rounds)

    # None: no bar where standard error is no terminal.
    with tqdm(total=options.rounds, unit=" rounds", unit_scale=True, delay=1, disable=None) as bar:
        try:
            tally = sample_rounds(
                scenario.target,
                scenario.bonus,
                profile.draft,
                options.rounds,
                options.seed,
                workers=options.workers,
                progress=finished,
            )
        except KeyboardInterrupt:
            bar.close()
            print(f"{done:,} of {options.rounds:,} rounds were played", file=sys.stderr)
            raise
    if options.json:
        return json.dumps(
            {
                "id": profile.id,
                "rounds": options.rounds,
                "seed": options.seed,
                "counts": tally.counts.tolist(),
                "lengths": tally.lengths.tolist(),
            }
        )
    return tally_text(scenario, profile, tally.counts.tolist(), tally.lengths.tolist())


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
