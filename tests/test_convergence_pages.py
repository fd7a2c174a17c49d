"""The pages about random rounds, recomputed with NumPy and SciPy from the counts alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from build_scripts.results import compute
from build_scripts.sampled import CHECKPOINTS, FEW_ROUNDS, ROUNDS, SAMPLING_SEED
from specdec.agreement import agreement_profiles
from specdec.sampling import sample_path
from specdec.wrong_rules import WRONG_RULES
from tests.shipped import GOLDEN, Golden
from tests.site_checks import ROOT, BuiltSite, tables

LENGTHS = "Law\u00a0of\u00a0N"

each_profile = pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)


@dataclass(frozen=True)
class Counted:
    """What a run committed at one place, and the law it should follow."""

    place: str
    counts: np.ndarray
    law: np.ndarray

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def distance(self) -> float:
        return float(np.abs(self.counts / self.total - self.law).sum() / 2)

    @property
    def expected(self) -> float:
        """Return half the sum of the mean absolute deviations, by summing over all outcomes."""
        mean = 0.0
        for chance in self.law:
            spread = 12 * np.sqrt(self.total * chance * (1 - chance)) + 1
            low = max(0, int(self.total * chance - spread))
            outcomes = np.arange(low, min(self.total, int(self.total * chance + spread)) + 1)
            weights = stats.binom.pmf(outcomes, self.total, chance)
            mean += float((np.abs(outcomes / self.total - chance) * weights).sum())
        return mean / 2

    @property
    def chi_square(self) -> tuple[str, ...]:
        possible = self.law > 0
        degrees = int(possible.sum()) - 1
        if not degrees:
            return "–", "0", "–"
        statistic, p = stats.chisquare(self.counts[possible], self.total * self.law[possible])
        return f"{statistic:.2f}", str(degrees), f"{p:.3f}"


def floats(values: tuple[Fraction, ...]) -> np.ndarray:
    return np.array([float(value) for value in values])


def counted(golden: Golden) -> list[Counted]:
    scenario, profile = golden.scenario, golden.profile
    path = sample_path(scenario.target, scenario.bonus, profile.draft, CHECKPOINTS, SAMPLING_SEED)
    rows = [*scenario.target, scenario.bonus]
    places = [*map(str, range(1, len(rows))), "Bonus"]
    return [
        *(
            Counted(place, path[-1].counts[n], floats(rows[n].probabilities))
            for n, place in enumerate(places)
        ),
        Counted(LENGTHS, path[-1].lengths, floats(golden.law)),
    ]


@each_profile
def test_the_table_of_each_profile(site: BuiltSite, golden: Golden) -> None:
    table = tables(site.article(f"profiles/{golden.id}.html"))["After 1,000,000 rounds"]
    expected = []
    for each in counted(golden):
        far = ("–", "–")
        if each.place != LENGTHS:
            far = f"{each.distance:.5f}", f"{each.expected:.5f}"
        expected.append((each.place, f"{each.total:,}", *far, *each.chi_square))
    assert list(table.rows) == expected
    threshold = {5: "1.4 × 10⁻⁷", 4: "1.7 × 10⁻⁷"}[len(golden.rates)]
    text = site.texts[f"profiles/{golden.id}.html"]
    tests = len(golden.rates) + 2
    assert (
        f"A test fails where that is below {threshold}, so that of 1,000,000 runs with nothing "
        f"wrong at most about one fails any of its {tests} tests. No test fails here." in text
    )


@each_profile
def test_the_same_tables_stand_on_one_page(site: BuiltSite, golden: Golden) -> None:
    here = tables(site.article(f"profiles/{golden.id}.html"))["After 1,000,000 rounds"]
    there = tables(site.article("convergence.html"))
    (label,) = (name for name in there if name.startswith(f"{golden.profile.title}: threshold"))
    assert there[label].rows == here.rows


def test_the_random_profiles(site: BuiltSite) -> None:
    table = tables(site.article("convergence.html"))[
        "The random profiles, and those of the data files beside them"
    ]
    assert len(table.rows) == 12 + len(GOLDEN)
    for row, profile in zip(table.rows, agreement_profiles(), strict=False):
        rates = [
            1 - sum(abs(p - q) for p, q in zip(*map(list, pair), strict=True)) / 2
            for pair in (
                (target.probabilities, draft.probabilities)
                for target, draft in zip(profile.target, profile.draft, strict=True)
            )
        ]
        tokens, reach = Fraction(1), Fraction(1)
        for rate in rates:
            reach *= rate
            tokens += reach
        assert row[:3] == (str(profile.number), " ".join(map(str, rates)), str(sum(rates) / 5))
        assert row[3].split(" ")[0] == str(tokens)
        assert 0.001 < float(row[4]) <= 1


def test_the_pages_say_what_was_played(site: BuiltSite) -> None:
    text = site.texts["convergence.html"]
    assert f"{ROUNDS:,} rounds of each profile" in text
    assert f"seed {SAMPLING_SEED}" in text
    assert CHECKPOINTS[-1] == ROUNDS
    assert FEW_ROUNDS in CHECKPOINTS


# Wrong rules: distances from an independent computation, checked by hand where short.

DISTANCES = {
    "Resample from the target": ("3/32", "3/32", "5/64"),
    "Remove only the rejected token": ("3/32", "3/32", "1/56"),
    "Softmax the residual": ("≈ 0.160", "≈ 0.371", "≈ 0.493"),
    "Accept if the target is at least as large": ("0", "1/8", "5/8"),
    "Swap the letters": ("7/20", "31/40", "45/56"),
    "One number proposes and accepts": ("0", "1/8", "1/4"),
    "One number accepts and replaces": ("0", "0", "1/32"),
    "Take the bonus from the wrong row": ("5/8", "5/8", "7/8"),
    "Go on after a rejection": ("0", "0", "0"),
    "Count only accepted tokens": ("1/8", "1/4", "5/24"),
}


def test_what_each_wrong_rule_does(site: BuiltSite) -> None:
    content = site.article("wrong.html")
    (label,) = (name for name in tables(content) if name.startswith("Largest distance"))
    assert [row[:-1] for row in tables(content)[label].rows] == [
        (name, *row) for name, row in DISTANCES.items()
    ]
    lengths = {row[0]: row[-1] for row in tables(content)[label].rows if row[-1] != "0"}
    assert lengths == {
        "Accept if the target is at least as large": "5/8",
        "Swap the letters": "1413/3200",
        "One number proposes and accepts": "9/32",
        "Go on after a rejection": "235/256",
    }
    headings = [heading.get_text().strip("¶") for heading in content.find_all("h2")]
    assert headings == [*DISTANCES, "What this does not show"]
    assert [heading["id"] for heading in content.find_all("h2")][:-1] == [
        rule.id for rule in WRONG_RULES
    ]


@pytest.mark.parametrize("name", DISTANCES)
def test_token_by_token_the_differences_make_the_distance(site: BuiltSite, name: str) -> None:
    content = site.article("wrong.html")
    every = tables(content)
    labels = list(every)
    first = every[f"{name}: distance from the right laws"]
    distances = [row[1].split(" ")[0].replace("≈", "") for row in first.rows]
    if set(distances) == {"0"}:
        assert name == "Go on after a rejection"
        return
    if name == "Softmax the residual":
        return  # float64, tested in the engine
    after = every[labels[labels.index(f"{name}: distance from the right laws") + 1]]
    gap = Fraction(0)
    for _token, target, got, difference in after.rows:
        assert Fraction(got) - Fraction(target) == Fraction(difference.replace("−", "-"))
        gap += abs(Fraction(got) - Fraction(target))
    assert gap / 2 == max(map(Fraction, distances))


def test_contexts(site: BuiltSite) -> None:
    table = tables(site.article("wrong.html"))[
        "The first two tokens, when checks go on: distance 5/48"
    ]
    assert [row[1:] for row in table.rows] == [
        ("1/8", "1/8", "0"),
        ("3/8", "3/8", "0"),
        ("1/3", "11/48", "−5/48"),
        ("1/6", "13/48", "+5/48"),
    ]
    text = site.texts["wrong.html"]
    assert "a a 1/8 1/8 0 a b 3/8 3/8 0 b a 1/3 11/48 −5/48 b b 1/6 13/48 +5/48" in text


@pytest.mark.parametrize(("most", "kept"), [(8, 3), (7, 2), (5, 0)])
def test_large_vocabularies_are_left_out(
    monkeypatch: pytest.MonkeyPatch, most: int, kept: int
) -> None:
    """The shipped profiles have six tokens, and eight."""
    monkeypatch.setattr("build_scripts.wrong_results.MOST_TOKENS", most)
    for each in compute(ROOT).wrong.values():
        assert len(each.effects) == kept
        assert len(each.unseen) <= kept
        assert kept or (each.most is None and each.rows == () and each.length_distance == 0)
