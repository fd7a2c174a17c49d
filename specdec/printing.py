"""Results as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from specdec.convergence import (
    FALSE_ALARM,
    chi_square,
    corrected_threshold,
    distance,
    expected_distance,
)
from specdec.profiles import Profile, Scenario
from specdec.report import ProfileReport, report


def report_text(scenario: Scenario, results: ProfileReport) -> str:
    """Return the exact results of one profile, with decimals beside the fractions."""
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


def tally_text(
    scenario: Scenario,
    profile: Profile,
    counts: Sequence[Sequence[int]],
    lengths: Sequence[int],
) -> str:
    """Return what many rounds committed beside what the laws say.

    Args:
        scenario: holds the target.
        profile: the draft that was played.
        counts: shape (k + 1, V), as in `specdec.sampling.Tally`; ``lengths`` likewise, (k + 1,).
        lengths: rounds by the number of tokens they committed.
    """
    laws = [row.probabilities for row in (*scenario.target, scenario.bonus)]
    length_law = report(scenario, profile).committed_length_law
    positions = [
        _tested(f"position {n}" if n < len(laws) else "bonus", row, law)
        for n, (row, law) in enumerate(zip(counts, laws, strict=True), start=1)
    ]
    return "\n".join(
        [
            f"{profile.title} ({profile.id}): {sum(lengths):,} rounds",
            "",
            "Committed tokens: distance from the target (total variation)",
            *_columns([("", "rounds", "distance", "expected", "p"), *positions]),
            "",
            "Tokens committed in a round",
            *_columns(
                [
                    ("", "rounds", "share", "law"),
                    *(
                        (f"N = {n}", f"{count:,}", _share(count, sum(lengths)), _decimal(chance))
                        for n, (count, chance) in enumerate(
                            zip(lengths, length_law, strict=True), start=1
                        )
                    ),
                ]
            ),
            "",
            _verdict([*zip(counts, laws, strict=True), (lengths, length_law)]),
        ]
    )


def _tested(name: str, counts: Sequence[int], law: Sequence[Fraction]) -> tuple[str, ...]:
    reached = sum(counts)
    if reached == 0:
        return name, "0", "–", "–", "–"
    return (
        name,
        f"{reached:,}",
        f"{float(distance(counts, law)):.2e}",
        f"{expected_distance(law, reached):.2e}",
        f"{test.p_value:.3f}" if (test := chi_square(counts, law)).degrees else "–",
    )


def _share(count: int, total: int) -> str:
    return _decimal(Fraction(count, total)) if total else "–"


def _verdict(tests: Sequence[tuple[Sequence[int], Sequence[Fraction]]]) -> str:
    """Say whether a chi-square test of any counts against their law fails."""
    done = [chi_square(counts, law) for counts, law in tests]
    if not any(test.degrees for test in done) and all(test.p_value for test in done):
        return "Too few rounds, or too certain laws: there is nothing to test."
    least, threshold = min(test.p_value for test in done), corrected_threshold(len(tests))
    verdict = "do not agree" if least < threshold else "agree"
    return (
        f"Chi-square tests, {len(tests)} with the law of N: least p-value {least:.2g}, "
        f"{'below' if least < threshold else 'not below'} {float(threshold):.2g} (1 in "
        f"{int(1 / FALSE_ALARM):,}, shared out), so the counts {verdict} with the laws."
    )


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align rows: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(["", cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]).rstrip()
        for cells in rows
    ]


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


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 profile``, ``2 profiles``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
