"""The tables behind figures, and all exact numbers of a profile, once more from the JSON alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from tests.plain import Plain

Cell = str | int | Fraction | None
Rows = list[tuple[Cell, ...]]

RATES = tuple(Fraction(twentieths, 20) for twentieths in (4, 8, 12, 14, 16, 18, 19))
LENGTHS = range(1, 17)


def numbers(plain: Plain) -> set[Fraction]:
    """Return every exact number that is said of a profile anywhere, apart from its random rounds.

    Also 1 minus each chance, and whole numbers of passes, positions and steps.
    """
    k, made = plain.k, len(plain.committed)
    draws = plain.profile["draws"]
    passes = (Fraction(1), plain.passes, Fraction(k))
    found = {
        *plain.rates,
        *plain.survival,
        *accumulate(plain.survival),
        *plain.law,
        *plain.bonus,
        *plain.price,
        *map(Fraction, (*draws["accept"], draws["replacement"], draws["bonus"])),
        plain.expected,
        plain.variance,
        plain.cost,
        plain.speedup,
        plain.break_even,
        (k + 1) / plain.expected,
        abs(made - plain.cost),
        made / plain.cost,
        *(each * factor for each in passes for factor in (1, k, k + 1, plain.cost)),
        *(plain.price[0] * n for n in range(k + 1)),
        *(number for row in _position_numbers(plain) for number in row if number is not None),
    }
    return found | {1 - rate for rate in plain.rates}


def _position_numbers(plain: Plain) -> Iterator[tuple[Fraction | None, ...]]:
    """Yield target, draft, minimum, leftover, residual, refused and ratio of each token."""
    for position in range(plain.k):
        left = 1 - plain.rates[position]
        for p, q in plain.pair(position):
            above = max(p - q, Fraction(0))
            yield (
                p,
                q,
                min(p, q),
                above,
                above / left if left else None,
                max(q - p, Fraction(0)),
                p / q if q else None,
            )


# Tables of a profile, by how the slugs of its figures begin.


def _positions(plain: Plain) -> Rows:
    def verdict(n: int) -> str:
        if n < plain.accepted:
            return "accepted"
        return "rejected" if n == plain.accepted else "dropped unchecked"

    rows: Rows = [
        (n + 1, token, p, q, *(("yes", verdict(n)) if token == proposal else ("no", None)))
        for n, proposal in enumerate(plain.proposals)
        for token, (p, q) in zip(plain.vocabulary, plain.pair(n), strict=True)
    ]
    bonus = zip(plain.vocabulary, plain.bonus, strict=True)
    return rows + [(plain.k + 1, token, chance, None, "no", None) for token, chance in bonus]


def _residual(plain: Plain) -> Rows:
    places = [(n + 1, token) for n in range(plain.k) for token in plain.vocabulary]
    return [(*place, *row[:6]) for place, row in zip(places, _position_numbers(plain), strict=True)]


def _timeline(plain: Plain) -> Rows:
    step, _verify = plain.price
    starts = [step * n for n in range(plain.k + 1)]
    return [
        *(
            ("one at a time", "target step", Fraction(n), Fraction(n + 1), token)
            for n, token in enumerate(plain.committed)
        ),
        *(("speculative", "draft step", *ends, None) for ends in pairwise(starts)),
        ("speculative", "checking pass", starts[-1], plain.cost, " ".join(plain.committed)),
    ]


def _acceptance(plain: Plain) -> Rows:
    return list(zip(range(1, plain.k + 1), plain.rates, plain.survival[1:], strict=True))


def _outcome_tree(plain: Plain) -> Rows:
    def row(n: int, chance: Fraction) -> tuple[Cell, ...]:
        last = n > plain.k
        return (
            "all accepted" if last else f"rejected at position {n}",
            n,
            chance,
            ", ".join([*["accept"] * (n - 1), "bonus" if last else "reject"]),
            None if last else plain.rates[n - 1],
            "yes" if n == len(plain.committed) else "no",
        )

    return [row(n, chance) for n, chance in enumerate(plain.law, 1)]


def _tokens_per_round(plain: Plain) -> Rows:
    return list(enumerate(plain.law, 1))


def _expected_tokens(plain: Plain) -> Rows:
    beyond = [sum(plain.law[n:], Fraction(0)) for n in range(plain.k + 1)]  # P(N > n)
    return list(zip(range(plain.k + 1), beyond, accumulate(beyond), strict=True))


TABLES: dict[str, Callable[[Plain], Rows]] = {
    "positions": _positions,
    "residual": _residual,
    "timeline": _timeline,
    "acceptance": _acceptance,
    "outcome-tree": _outcome_tree,
    "tokens-per-round": _tokens_per_round,
    "expected-tokens": _expected_tokens,
}


# Tables of a file.


def comparison(plains: Sequence[Plain]) -> Rows:
    return [
        (each.id, n, rate, reached, total)
        for each in plains
        for n, (rate, reached, total) in enumerate(
            zip((None, *each.rates), each.survival, accumulate(each.survival), strict=True)
        )
    ]


def draft_length(plain: Plain) -> Rows:
    """Return the speed-ups at the prices of the file that a profile is in."""
    step, verify = plain.price
    rows: Rows = []
    for rate in RATES:
        gains = [(1 - rate ** (k + 1)) / (1 - rate) / (k * step + verify) for k in LENGTHS]
        best = gains.index(max(gains))
        rows += [
            (rate, k, gain, "yes" if n == best else "no")
            for n, (k, gain) in enumerate(zip(LENGTHS, gains, strict=True))
        ]
    return rows
