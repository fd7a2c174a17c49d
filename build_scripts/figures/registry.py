"""Every figure of the site."""

from __future__ import annotations

from build_scripts.figures import agreement, agreement_convergence, convergence, histogram
from build_scripts.figures.figure import Figure
from build_scripts.results import Results


def all_figures(results: Results) -> list[Figure]:
    """Return what there is to draw: figures of each profile, then those of the whole site."""
    return [
        *(convergence.figure(this) for this in results.profiles),
        *(histogram.figure(this) for this in results.profiles),
        agreement.figure(results.agreement),
        agreement_convergence.figure(results.agreement),
    ]
