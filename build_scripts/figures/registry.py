"""Every figure of the site, in the order in which pages list them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from build_scripts.figures import (
    acceptance,
    agreement,
    agreement_convergence,
    comparison,
    convergence,
    draft_cost,
    draft_length,
    expected_tokens,
    histogram,
    length_law,
    outcome_tree,
    positions,
    residual,
    timeline,
)
from build_scripts.figures.figure import Figure
from build_scripts.figures.files import Drawn
from build_scripts.profile_results import ProfileResults
from build_scripts.results import Results, ScenarioResults

_Kind = Callable[[Results], list[Figure]]


def _of_profiles(figure: Callable[[ProfileResults], Figure]) -> _Kind:
    return lambda results: [figure(this) for this in results.profiles]


def _of_files(figure: Callable[[ScenarioResults], Figure]) -> _Kind:
    return lambda results: [figure(home) for home in results.scenarios.values()]


GROUPS: Mapping[str, Mapping[str, _Kind]] = {
    "One round": {
        "positions": _of_profiles(positions.figure),
        "residual": _of_profiles(residual.figure),
        "timeline": _of_profiles(timeline.figure),
    },
    "How many tokens a round commits": {
        "acceptance": _of_profiles(acceptance.figure),
        "outcome_tree": _of_profiles(outcome_tree.figure),
        "length_law": _of_profiles(length_law.figure),
        "expected_tokens": _of_profiles(expected_tokens.figure),
        "comparison": lambda results: [
            comparison.figure(home) for home in results.scenarios.values() if len(home.profiles) > 1
        ],
        "agreement": lambda results: [agreement.figure(results.agreement)],
    },
    "What a round is worth": {
        "draft_cost": _of_profiles(draft_cost.figure),
        "draft_length": _of_files(draft_length.figure),
    },
    "Random rounds": {
        "convergence": _of_profiles(convergence.figure),
        "histogram": _of_profiles(histogram.figure),
        "agreement_convergence": lambda results: [agreement_convergence.figure(results.agreement)],
    },
}
"""What a figure is about → the module that draws it → the figures that it makes of the results."""


def all_figures(results: Results) -> list[Figure]:
    """Return what there is to draw."""
    return [
        figure for kinds in GROUPS.values() for make in kinds.values() for figure in make(results)
    ]


def gallery(figures: Mapping[str, Drawn]) -> dict[str, list[Drawn]]:
    """Return the figures by what they are about."""
    return {
        about: [each for each in figures.values() if each.figure.kind in kinds]
        for about, kinds in GROUPS.items()
    }
