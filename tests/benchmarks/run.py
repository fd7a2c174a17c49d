"""Plays all cases and writes the result: ``python -m tests.benchmarks.run``, in its environment.

`tests.benchmarks` documents the result.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Any

import numpy as np

from tests.benchmarks import contenders
from tests.benchmarks.contenders import LABELS, Peers
from tests.benchmarks.inputs import PROFILES, Rows, exactly, random_rows, shipped
from tests.benchmarks.machine import load_average, machine, versions
from tests.benchmarks.timing import Contender, Times, take_turns, warm_up

RESULT = PROFILES.parent.parent / "docs" / "benchmark.json"

REPETITIONS = 7
GROWTH_REPETITIONS = 3

SMALL_BATCHES = tuple(2**n for n in (12, 14, 16, 18))
LARGE_BATCHES = (1, 4, 16, 64)

NOTES = (
    "All contenders ran on one thread of one process and took turns: each repetition ran each of "
    "them once, beginning with another.",
    "Each contender's rounds in bulk were checked, outside the timing, to commit as many tokens on "
    "average as the exact law says, within six standard errors.",
    "Inputs were made beforehand in the form that each contender wants; that is not timed. Ours "
    "and the loops draw their proposals within the time, flashspec and transformers are given "
    "theirs.",
    "Ours and the loops hand back a tally of all committed tokens; flashspec and transformers "
    "hand back each round by itself, as they are made for generating text.",
    "flashspec and transformers calculate in float32, the others in float64.",
)

SHARED_ROWS = (
    "All rounds are of the same rows. Ours prepare them once for all rounds; flashspec and "
    "transformers are made for rows that differ from round to round and go through the whole "
    "vocabulary in each. flashspec had the quickest of several batch sizes, with a copy of the "
    "rows for each round or with views of one copy, whichever was quicker."
)
FRESH_ROWS = (
    "One round a call, each call with other rows than the last, so that nothing can be remembered. "
    "Ours and the loop draw the proposals within the time."
)


@dataclass(frozen=True)
class Case:
    """What the contenders of one case have in common, and who they are.

    Attributes:
        id: its key in the result.
        title: what it is, for a reader.
        kind: "bulk" or "single".
        rounds: how many the case is about.
        rows: the distributions of all rounds, or those of each round.
        contenders: who plays; ours comes first.
        notes: what to know to read the numbers.
    """

    id: str
    title: str
    kind: str
    rounds: int
    rows: Sequence[Rows]
    contenders: Sequence[Contender]
    notes: Sequence[str]

    def measured(self) -> dict[str, Any]:
        """Run it and return its part of the result."""
        shared = self.rows[0] if self.kind == "bulk" else None
        for contender in self.contenders:
            warm_up(contender, shared)
        times = take_turns(self.contenders, REPETITIONS)
        least = {each.contender.name: each.least for each in times}
        below = least.get("floor")
        ours = self.contenders[0].name
        return {
            "id": self.id,
            "title": self.title,
            "kind": self.kind,
            "k": self.rows[0].k,
            "vocabulary": self.rows[0].vocabulary,
            "rounds": self.rounds,
            "rates": [short(each) for each in np.mean([each.rates for each in self.rows], axis=0)],
            "uniforms_per_round": short(shared.uniforms) if shared else None,
            "repetitions": REPETITIONS,
            "notes": list(self.notes),
            "ours": ours,
            "measurements": [
                {
                    "contender": each.contender.name,
                    "rounds": each.contender.rounds,
                    "scaled": each.contender.rounds < self.rounds,
                    "batch": each.contender.batch,
                    "ns_per_round": per_round(each),
                    "times_floor": short(each.least / below) if below else None,
                    "times_ours": short(each.least / least[ours]),
                }
                for each in times
            ],
        }


def bulk_of_profile(profile: str, peers: Peers, share: int) -> Case:
    """Return the case of many rounds of a shipped profile."""
    exact, rounds = shipped(profile), 10**7 // share
    rows = exact.rows
    return Case(
        id=f"bulk-{profile}",
        title=f"Many rounds, six tokens, the profile {profile}",
        kind="bulk",
        rounds=rounds,
        rows=[rows],
        contenders=[
            contenders.exact_rounds(exact, rounds),
            contenders.float_rounds(rows, rounds),
            contenders.textbook(rows, 2_000),
            contenders.plain(rows, 200_000 // share),
            peers.quickest_flashspec(rows, SMALL_BATCHES[-1], SMALL_BATCHES),
            peers.transformers(rows, 1000),
            contenders.floor(rows, rounds),
        ],
        notes=[SHARED_ROWS],
    )


def bulk_of_many_tokens(peers: Peers, share: int) -> Case:
    """Return the case of many rounds over a large vocabulary."""
    rounds = 10**6 // share
    rows = random_rows(50_000, (0.7, 0.75, 0.8, 0.85, 0.9), seed=1)
    return Case(
        id="bulk-50000",
        title="Many rounds, 50,000 tokens, random rows",
        kind="bulk",
        rounds=rounds,
        rows=[rows],
        contenders=[
            contenders.float_rounds(rows, rounds),
            peers.quickest_flashspec(rows, LARGE_BATCHES[-1], LARGE_BATCHES),
            peers.transformers(rows, 64),
            contenders.floor(rows, rounds),
        ],
        notes=[
            SHARED_ROWS,
            "So the ratios here are those of a simulation, which repeats one round. For a model, "
            "whose rows differ each time, see the cases of one round a call.",
        ],
    )


def single_of_few_tokens(peers: Peers) -> Case:
    """Return the case of one round a call, six tokens."""
    exact = [exactly(random_rows(6, [0.8] * 5, seed)) for seed in range(256)]
    rows = [each.rows for each in exact]
    return Case(
        id="single-6",
        title="One round a call, six tokens, other rows in each call",
        kind="single",
        rounds=1,
        rows=rows,
        contenders=[
            contenders.float_singles(rows, 1000),
            contenders.exact_singles(exact, 1000),
            contenders.plain_singles(rows, 1000),
            *peers.singles(rows, 1000),
        ],
        notes=[
            FRESH_ROWS,
            "sample_rows checks its rows within the time; the exact distributions that "
            "sample_rounds takes were checked when they were made. The loop checks nothing.",
        ],
    )


def single_of_many_tokens(peers: Peers) -> Case:
    """Return the case of one round a call over a large vocabulary."""
    rows = [random_rows(32_000, (0.7, 0.75, 0.8, 0.85, 0.9), seed) for seed in range(16)]
    return Case(
        id="single-32000",
        title="One round a call, 32,000 tokens, other rows in each call",
        kind="single",
        rounds=1,
        rows=rows,
        contenders=[contenders.float_singles(rows, 96), *peers.singles(rows, 96)],
        notes=[FRESH_ROWS, "sample_rows checks its rows within the time."],
    )


def memory(share: int) -> dict[str, Any]:
    """Return what a long run in a fresh process takes."""
    command = [sys.executable, "-m", "tests.benchmarks.memory", str(10**8 // share)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return {
        **found,
        "seconds": short(found["seconds"]),
        "note": "sample_rounds on the profile aligned in a fresh process; Python and NumPy count.",
    }


def growth(share: int) -> dict[str, Any]:
    """Return how the time of ours grows with each of three sizes, the others held."""
    rounds, aligned = 10**6 // share, shipped("aligned")
    sizes = (2, 6, 20, 100, 500, 2_000, 10_000, 50_000)
    lengths = (1, 2, 4, 8, 16, 32, 64)
    return {
        "rounds": curve(
            "Time against the rounds",
            "The profile aligned: five proposals, six tokens.",
            [(aligned.rows, contenders.exact_rounds(aligned, 10**n // share)) for n in range(3, 9)],
        ),
        "vocabulary": curve(
            "Time against the vocabulary",
            "Random rows, five proposals, each rate 0.8. One round shows what the rows alone take.",
            [
                (rows, contenders.float_rounds(rows, each))
                for size in sizes
                for rows in [random_rows(size, [0.8] * 5, seed=2)]
                for each in (1, rounds)
            ],
        ),
        "k": curve(
            "Time against the draft length",
            "Random rows, six tokens, each rate 0.98, so that long drafts are gone through.",
            [
                (rows, contenders.float_rounds(rows, rounds))
                for k in lengths
                for rows in [random_rows(6, [0.98] * k, seed=3)]
            ],
        ),
    }


def curve(title: str, note: str, pairs: Sequence[tuple[Rows, Contender]]) -> dict[str, Any]:
    """Time contenders of different sizes and return a part of `growth`."""
    for rows, contender in pairs:
        if contender.rounds <= 10**6:  # the longest runs need no warming up
            warm_up(contender, rows)
    times = take_turns([contender for _rows, contender in pairs], GROWTH_REPETITIONS)
    return {
        "title": title,
        "note": note,
        "contender": pairs[0][1].name,
        "repetitions": GROWTH_REPETITIONS,
        "points": [
            {
                "k": rows.k,
                "vocabulary": rows.vocabulary,
                "rounds": each.contender.rounds,
                "uniforms_per_round": short(rows.uniforms),
                "seconds": {
                    "min": short(min(each.seconds)),
                    "median": short(median(each.seconds)),
                },
                "ns_per_round": per_round(each),
            }
            for (rows, _contender), each in zip(pairs, times, strict=True)
        ],
    }


def goals(cases: Sequence[dict[str, Any]], used: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what we set out to reach, and whether we did."""
    found: list[dict[str, Any]] = []

    def add(case: str, what: str, value: float, sign: str, bound: float) -> None:
        met = value <= bound if sign == "≤" else value >= bound
        found.append(
            {
                "case": case,
                "what": what,
                "value": short(value),
                "bound": f"{sign} {bound:g}",
                "met": met,
            }
        )

    for case in cases:
        rows = {each["contender"]: each for each in case["measurements"]}
        ours = rows[case["ours"]]
        if case["id"] in ("bulk-aligned", "bulk-divergent"):
            add(case["id"], "times the floor", ours["times_floor"], "≤", 3)
            add(
                case["id"],
                "times as quick as the loop that explanations write",
                rows["textbook"]["times_ours"],
                "≥",
                300,
            )
    megabytes = used["peak_rss_bytes"] / 10**6
    add("memory", "MB at the peak", megabytes, "≤", 300)
    return found


def table(case: dict[str, Any]) -> str:
    """Return a case as text."""
    lines = [
        "",
        case["title"],
        f"{'':36}{'ns per round':>14}{'median':>14}{'× floor':>10}{'× ours':>10}{'rounds':>12}"
        f"{'batch':>9}",
    ]
    for each in case["measurements"]:
        time = each["ns_per_round"]
        floor = "–" if each["times_floor"] is None else number(each["times_floor"])
        lines.append(
            f"{LABELS[each['contender']][0]:36}{number(time['min']):>14}"
            f"{number(time['median']):>14}{floor:>10}{number(each['times_ours']):>10}"
            f"{each['rounds']:>12,}{each['batch'] or '–':>9}"
        )
    return "\n".join(lines)


def curves(grown: dict[str, Any]) -> list[str]:
    """Return how the time grows, as lines of text."""
    lines: list[str] = []
    for each in grown.values():
        head = f"{'k':>4}{'tokens':>9}{'rounds':>14}{'seconds':>12}{'ns per round':>16}"
        lines += ["", f"{each['title']} ({LABELS[each['contender']][0]})", head]
        lines += [
            f"{point['k']:>4}{point['vocabulary']:>9,}{point['rounds']:>14,}"
            f"{number(point['seconds']['min']):>12}{number(point['ns_per_round']['min']):>16}"
            for point in each["points"]
        ]
    return lines


def goal(each: dict[str, Any]) -> str:
    """Return a goal and its outcome as a line of text."""
    verdict = "met" if each["met"] else "MISSED"
    return f"  {each['case']}: {number(each['value'])} {each['what']}, {each['bound']}: {verdict}"


def number(value: float) -> str:
    """Return a number as a table shows it: three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def short(value: float) -> float:
    """Return a number with four significant digits, the most that a timing is good for."""
    return float(f"{value:.4g}")


def per_round(times: Times) -> dict[str, float]:
    return {"min": short(times.least), "median": short(times.middle)}


def main() -> None:
    """Play everything, print it and write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds; write nothing")
    quick: bool = parser.parse_args().quick
    share = 100 if quick else 1
    before = load_average()
    peers = Peers()
    makers: list[Callable[[], Case]] = [  # one at a time, for each holds all its inputs
        lambda: bulk_of_profile("aligned", peers, share),
        lambda: bulk_of_profile("divergent", peers, share),
        lambda: bulk_of_many_tokens(peers, share),
        lambda: single_of_few_tokens(peers),
        lambda: single_of_many_tokens(peers),
    ]
    cases: list[dict[str, Any]] = []
    with peers.generating():
        for make in makers:
            cases.append(make().measured())
            print(table(cases[-1]), flush=True)
    used, grown = memory(share), growth(share)
    reached = goals(cases, used)
    print("\n".join(["", *curves(grown), "", "Goals", *map(goal, reached)]))
    if quick:
        return
    result = {
        "version": 1,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "machine": {**machine(), "load_average": {"before": before, "after": load_average()}},
        "threads": 1,
        "notes": NOTES,
        "contenders": {
            name: {"label": label, "note": note} for name, (label, note) in LABELS.items()
        },
        "cases": cases,
        "memory": used,
        "growth": grown,
        "goals": reached,
    }
    text = json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False)
    RESULT.write_text(text + "\n", encoding="utf-8")
    print(f"\nwrote {RESULT.relative_to(PROFILES.parent.parent)}")


if __name__ == "__main__":
    main()
