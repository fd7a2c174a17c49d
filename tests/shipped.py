"""The golden values: what an independent computation gives for the shipped profiles."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from specdec import Distribution, Profile, Scenario, load

DATA = Path(__file__).resolve().parent.parent / "data"


def _fractions(text: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, text.split()))


@dataclass(frozen=True)
class Golden:
    """One shipped profile and the values that must come out of it."""

    file: str
    id: str
    rates: tuple[Fraction, ...]
    law: tuple[Fraction, ...]
    expected: Fraction
    variance: Fraction
    round_cost: Fraction
    speedup: Fraction
    printed: tuple[str, str]
    kinds: tuple[str, ...]
    committed: tuple[str, ...]
    accepted: int
    passes: tuple[int, Fraction]

    @property
    def scenario(self) -> Scenario:
        return load(DATA / self.file)

    @property
    def profile(self) -> Profile:
        return next(each for each in self.scenario.profiles if each.id == self.id)


GOLDEN = (
    Golden(
        file="profiles.v1.json",
        id="aligned",
        rates=_fractions("3/4 7/8 7/8 7/8 7/8"),
        law=_fractions("1/4 3/32 21/256 147/2048 1029/16384 7203/16384"),
        expected=Fraction(64267, 16384),
        variance=Fraction(1213967751, 268435456),
        round_cost=Fraction(3, 2),
        speedup=Fraction(64267, 24576),
        printed=("3.92", "2.62"),
        kinds=("propose", *["verify"] * 5, "bonus", "done"),
        committed=("the", "cat", "sat", "on", "the", "mat"),
        accepted=5,
        passes=(5, Fraction(3469, 2048)),
    ),
    Golden(
        file="profiles.v1.json",
        id="divergent",
        rates=_fractions("7/8 1/2 3/8 1/2 3/4"),
        law=_fractions("1/8 7/16 35/128 21/256 21/1024 63/1024"),
        expected=Fraction(2683, 1024),
        variance=Fraction(1584359, 1048576),
        round_cost=Fraction(3, 2),
        speedup=Fraction(2683, 1536),
        printed=("2.62", "1.75"),
        kinds=("propose", *["verify"] * 3, "done"),
        committed=("the", "cat", "sat"),
        accepted=2,
        passes=(5, Fraction(9525, 4096)),
    ),
    Golden(
        file="nimbus.v1.json",
        id="nimbus-mini",
        rates=_fractions("7/8 3/4 1/2 3/8"),
        law=_fractions("1/8 7/32 21/64 105/512 63/512"),
        expected=Fraction(1527, 512),
        variance=Fraction(371119, 262144),
        round_cost=Fraction(7, 5),
        speedup=Fraction(7635, 3584),
        printed=("2.98", "2.13"),
        kinds=("propose", *["verify"] * 3, "done"),
        committed=("file", "was", "too"),
        accepted=2,
        passes=(0, Fraction(0)),
    ),
)

Rows = tuple[tuple[Distribution, ...], Distribution, tuple[Distribution, ...]]
"""Target, bonus and draft."""

SHIPPED: dict[str, Rows] = {
    golden.id: (golden.scenario.target, golden.scenario.bonus, golden.profile.draft)
    for golden in GOLDEN
}
