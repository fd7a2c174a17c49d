"""The pages' numbers from the JSON by another route: plain fractions, nothing of the project."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from pathlib import Path
from typing import Any

from tests.site_checks import one_line

# fmt: off
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")
# fmt: on


def rounded(value: Fraction, places: int = 2) -> str:
    """Round half away from zero with `decimal`, at a precision at which no quotient misleads."""
    with localcontext(prec=400):
        quotient = Decimal(value.numerator) / Decimal(value.denominator)
        return str(quotient.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def about(value: Fraction) -> str:
    """Return a number as the pages give it, exact and rounded."""
    if value.denominator == 1:
        return str(value)
    short = rounded(value)
    if Fraction(short) == value:
        return f"{value} = {short.rstrip('0')}"
    return f"{value} ≈ {short}"


def divisor(value: Fraction) -> str:
    """Return a number as the pages divide by it."""
    return str(value) if value.denominator == 1 else f"({value})"


@dataclass(frozen=True)
class Plain:
    """One profile, recomputed."""

    scenario: dict[str, Any]
    profile: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.profile["id"])

    @property
    def title(self) -> str:
        return str(self.profile["title"])

    @property
    def vocabulary(self) -> list[str]:
        return list(self.scenario["vocabulary"])

    @property
    def k(self) -> int:
        return len(self.scenario["target"])

    @property
    def price(self) -> tuple[Fraction, Fraction]:
        model = self.scenario["cost_model"]
        return Fraction(model["draft_step"]), Fraction(model["verify_pass"])

    def pair(self, position: int) -> list[tuple[Fraction, Fraction]]:
        """Return (target, draft) of every token at a position, which counts from 0."""
        whole = self.scenario["denominator"]
        rows = self.scenario["target"][position], self.profile["draft"][position]
        return [(Fraction(p, whole), Fraction(q, whole)) for p, q in zip(*rows, strict=True)]

    @cached_property
    def rates(self) -> list[Fraction]:
        """Return 1 minus the total variation distance, position by position."""
        return [
            1 - sum((abs(p - q) for p, q in self.pair(position)), Fraction(0)) / 2
            for position in range(self.k)
        ]

    @cached_property
    def law(self) -> list[Fraction]:
        """Return P(N = 1), …, P(N = k + 1) from P(N > n)."""
        beyond = [Fraction(1), *accumulate(self.rates, lambda a, b: a * b), Fraction(0)]
        return [here - next_ for here, next_ in pairwise(beyond)]

    @property
    def survival(self) -> list[Fraction]:
        return [prod(self.rates[:j], start=Fraction(1)) for j in range(self.k + 1)]

    @property
    def expected(self) -> Fraction:
        return sum((n * chance for n, chance in enumerate(self.law, 1)), Fraction(0))

    @property
    def variance(self) -> Fraction:
        mean = self.expected
        return sum(((n - mean) ** 2 * chance for n, chance in enumerate(self.law, 1)), Fraction(0))

    @property
    def cost(self) -> Fraction:
        draft_step, verify_pass = self.price
        return self.k * draft_step + verify_pass

    @property
    def speedup(self) -> Fraction:
        return self.expected / self.cost

    @property
    def break_even(self) -> Fraction:
        return (self.expected - self.price[1]) / self.k

    @property
    def passes(self) -> Fraction:
        """Return the mean passes for k tokens: Σ over rounds r of P(r rounds gave too few)."""
        mean, sums = Fraction(0), {0: Fraction(1)}
        while sums:
            mean += sum(sums.values(), Fraction(0))
            further: dict[int, Fraction] = {}
            for total, weight in sums.items():
                for n, chance in enumerate(self.law, 1):
                    if total + n < self.k:
                        further[total + n] = further.get(total + n, Fraction(0)) + weight * chance
            sums = further
        return mean

    @property
    def proposals(self) -> list[str]:
        return list(self.profile["proposals"])

    @cached_property
    def accepted(self) -> int:
        """Count the proposals that the round keeps."""
        for position, (token, text) in enumerate(
            zip(self.proposals, self.profile["draws"]["accept"], strict=True)
        ):
            p, q = self.pair(position)[self.vocabulary.index(token)]
            if not Fraction(text) * q < p:
                return position
        return self.k

    def draw(self, position: int) -> Fraction:
        """Return the random number that decides on the proposal at a position."""
        return Fraction(self.profile["draws"]["accept"][position])

    def chances(self, position: int) -> tuple[Fraction, Fraction]:
        """Return target and draft probability of the token proposed at a position."""
        return self.pair(position)[self.vocabulary.index(self.proposals[position])]

    def acceptance(self, position: int) -> Fraction:
        """Return the chance that the proposal at a position is kept, if it is checked."""
        target, draft = self.chances(position)
        return min(target / draft, Fraction(1))

    @property
    def lucky(self) -> list[int]:
        """Return the positions of the proposals that another draw would have rejected."""
        return [n for n in range(self.accepted) if self.acceptance(n) < 1]

    @property
    def dropped_though_certain(self) -> list[str]:
        """Return the proposals that were dropped and that any draw would have kept."""
        dropped = range(self.accepted + 1, self.k)
        return [self.proposals[n] for n in dropped if self.acceptance(n) == 1]

    def residual(self, position: int) -> list[Fraction]:
        """Return the law of a replacement at a position where something can be rejected."""
        left = [max(p - q, Fraction(0)) for p, q in self.pair(position)]
        return [each / sum(left) for each in left]

    @property
    def bonus(self) -> list[Fraction]:
        """Return the target's row after the last position."""
        return [Fraction(n, self.scenario["denominator"]) for n in self.scenario["bonus"]]

    def input(self, chance: Fraction) -> str:
        """Return a probability of the file over its denominator, as pages show it."""
        whole = self.scenario["denominator"]
        return f"{chance * whole}/{whole}" if chance else "0"

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of the frames, as many as the closed form says."""
        everything = self.accepted == self.k
        attempted = self.accepted + (not everything)
        kinds = ["propose", *["verify"] * attempted, *["bonus"] * everything, "done"]
        assert len(kinds) == 1 + attempted + (1 if everything else 0) + 1
        return kinds

    @property
    def committed(self) -> list[str]:
        """Return the tokens of the round; the last by inverting a cumulative sum."""
        kept, draws = self.proposals[: self.accepted], self.profile["draws"]
        if self.accepted == self.k:
            weights = [Fraction(each) for each in self.scenario["bonus"]]
            draw = Fraction(draws["bonus"])
        else:
            weights = [max(p - q, Fraction(0)) for p, q in self.pair(self.accepted)]
            draw = Fraction(draws["replacement"])
        reached: list[Fraction] = list(accumulate(weights))
        wanted = draw * sum(weights)
        index = next(i for i, upper in enumerate(reached) if wanted < upper)
        return [*kept, self.vocabulary[index]]

    @cached_property
    def rules(self) -> list[str]:
        """Return the rule with the numbers put in, for each check of the round."""
        whole = self.scenario["denominator"]
        lines: list[str] = []
        for position in range(min(self.accepted + 1, self.k)):
            token = self.proposals[position]
            p, q = self.pair(position)[self.vocabulary.index(token)]
            target = f"({p * whole}/{whole})" if p else "0"
            capped = f"min(1, {p / q}) = " if p > q else ""
            draw = Fraction(self.profile["draws"]["accept"][position])
            kept = min(p / q, Fraction(1))
            sign, verdict = ("<", "accepted") if draw < kept else ("≥", "rejected")
            lines.append(
                f"Rule min(1, {target}/({q * whole}/{whole})) = {capped}{kept}; "
                f"draw {draw} {sign} {kept}: {verdict}"
            )
        return lines

    @property
    def assumption(self) -> str:
        draft_step, verify_pass = map(_price, self.price)
        proposals = WORDS[self.k] if self.k < len(WORDS) else str(self.k)
        return (
            f"Assumed, not measured: drafting a token costs {draft_step}, and the one pass that "
            f"scores the {proposals} proposal{'s' * (self.k > 1)} and the position after "
            f"{'it' if self.k == 1 else 'them'} "
            f"costs {verify_pass}."
        )

    @property
    def timing(self) -> str:
        """Return what the player says about the time of its round."""
        made, (draft_step, _verify_pass) = len(self.committed), self.price
        free = ", for nothing," * (draft_step == 0)
        alone = (
            "takes one pass" if made == 1 else f"take {counted(made, 'pass')}, one after the other"
        )
        end = {
            (False, 1): f"but {_steps(made - self.cost)} of time",
            (False, 0): "and no time: this round took as long",
            (False, -1): f"and this round took longer, by {_steps(self.cost - made)}",
            (True, 1): f"and {_steps(made - self.cost)} of time",
            (True, 0): "but no time: this round took as long",
            (True, -1): f"but this round took longer, by {_steps(self.cost - made)}",
        }[made > 1, (made > self.cost) - (made < self.cost)]
        saved = counted(made - 1, "sequential pass") if made > 1 else "no pass"
        tokens = counted(made, "token")
        return (
            f"This round: {counted(self.k, 'draft step')}{free} and one target pass, "
            f"{_steps(self.cost)} of time at the assumed prices, for {tokens}. One at a time, "
            f"{tokens} {alone}. That saves {saved}, {end}. One round is no average."
        )

    # Rows of the tables, as the pages show them.

    def position_rows(self, position: int) -> list[tuple[str, ...]]:
        whole = self.scenario["denominator"]
        mass = 1 - self.rates[position]
        rows: list[tuple[str, ...]] = []
        for token, (p, q) in zip(self.vocabulary, self.pair(position), strict=True):
            left = max(p - q, Fraction(0))
            rows.append(
                (
                    token,
                    f"{p * whole}/{whole}" if p else "0",
                    f"{q * whole}/{whole}" if q else "0",
                    str(p / q) if q else "–",
                    str(min(p, q)),
                    str(left),
                    str(left / mass) if mass else "–",
                )
            )
        return rows

    def position_foot(self, position: int) -> tuple[str, ...]:
        rate = self.rates[position]
        return "Sum", "1", "1", "", str(rate), str(1 - rate), "–" if rate == 1 else "1"

    @property
    def rate_rows(self) -> list[tuple[str, ...]]:
        return [
            (str(n), str(rate), rounded(rate, 3), str(self.survival[n]))
            for n, rate in enumerate(self.rates, 1)
        ]

    @property
    def law_rows(self) -> list[tuple[str, ...]]:
        return [
            (str(n), str(chance), f"{rounded(100 * chance, 1)}%", "")
            for n, chance in enumerate(self.law, 1)
        ]

    @property
    def headline_row(self) -> tuple[str, ...]:
        numbers = about(self.expected), about(self.cost), f"{about(self.speedup)}×"
        return one_line(self.title), *numbers

    @property
    def cost_rows(self) -> list[tuple[str, ...]]:
        k = self.k
        rows = [("One at a time", Fraction(k), Fraction(k), Fraction(0), Fraction(k))]
        for case, passes in (
            ("Best", Fraction(1)),
            ("Average", self.passes),
            ("Worst", Fraction(k)),
        ):
            rows.append((case, passes, passes * (k + 1), passes * k, passes * self.cost))
        return [(case, *map(about, numbers)) for case, *numbers in rows]


def scenarios(data: Path, read: Callable[[str], str] = str) -> dict[str, list[Plain]]:
    """Return the profiles of every data file, by file name, shipped profiles first.

    Args:
        data: the folder.
        read: changes the text of a file before it is read.
    """
    files = sorted(
        (path for path in data.glob("*.json") if ".schema." not in path.name),
        key=lambda path: (path.name != "profiles.v1.json", path.name),
    )
    loaded = {path.name: json.loads(read(path.read_text("utf-8"))) for path in files}
    return {
        name: [Plain(scenario, profile) for profile in scenario["profiles"]]
        for name, scenario in loaded.items()
    }


def _price(steps: Fraction) -> str:
    if steps == 0:
        return "nothing"
    if steps < 1:
        return f"{steps} of an ordinary target step"
    return "one ordinary target step" if steps == 1 else f"{steps} ordinary target steps"


def _steps(time: Fraction) -> str:
    return f"{time} {of_a_step(time)}"


def of_a_step(time: Fraction) -> str:
    """Return what stands after a number of target steps."""
    return "of a target step" if time < 1 else "target step" + "s" * (time != 1)


def spelled(number: int) -> str:
    """Return a whole number as pages word it: small ones as words, none of them as "no"."""
    return WORDS[number] if number < len(WORDS) else f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as pages word it."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{spelled(number)} {noun if number == 1 else plural}"
