"""What a figure is before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from build_scripts.figures.table import Table
from build_scripts.profile_results import ProfileResults
from build_scripts.sampled import RANDOM_PROFILES, random_profiles_sha256
from specdec.agreement import AGREEMENT_SEED
from specdec.runs import Run

FIXED_ROWS = (
    "At each position the distributions of target and draft are fixed: they do not depend on the "
    "tokens before."
)
"""An assumption of most figures; the guarantee does not need it, the counting does."""

THIS_ROUND = "The round’s proposals and random numbers are those of the data file."
"""An assumption of figures that show the round of a profile."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the numbers of a figure come from.

    Attributes:
        data: path of the data file below the site, e.g. ``data/profiles.v1.json``.
        data_sha256: of that file.
        module: of the engine that computes the numbers, e.g. ``specdec.expectations``.
        seed: of the random numbers behind the figure, None where there are none.
        rounds: how many random rounds were played for it, None where none were.
    """

    data: str
    data_sha256: str
    module: str
    seed: int | None = None
    rounds: int | None = None


def provenance(this: ProfileResults, module: str, run: Run | None = None) -> Provenance:
    """Return where numbers about a profile come from: a module, and a run if they are counts."""
    return Provenance(
        f"data/{this.file_name}",
        this.data_sha256,
        module,
        run.seed if run else None,
        run.rounds if run else None,
    )


def provenance_of_random(module: str, run: Run | None = None) -> Provenance:
    """Return where numbers about the random profiles come from; see `provenance`."""
    return Provenance(
        RANDOM_PROFILES,
        random_profiles_sha256(),
        module,
        run.seed if run else AGREEMENT_SEED,
        run.rounds if run else None,
    )


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, in words and data; drawing adds nothing to what it says.

    Attributes:
        slug: names it for ever, in addresses too.
        kind: the module of this package that draws it.
        title: what it shows to be so.
        subject: of what.
        alt: what a reader who cannot see it needs to know.
        caption: what is drawn, and how to read it.
        assumption: what is taken for granted.
        omits: where what it shows ends.
        data: everything that is drawn, as JSON values; a figure with the same data is the same.
        table: the numbers behind it, exact where the engine has them exact.
        provenance: where these come from.
    """

    slug: str
    kind: str
    title: str
    subject: str
    alt: str
    caption: str
    assumption: str
    omits: str
    data: dict[str, Any]
    table: Table
    provenance: Provenance

    @property
    def name(self) -> str:
        """What it is called where it stands among others: what it shows, and of what."""
        return f"{self.title}: {self.subject}"
