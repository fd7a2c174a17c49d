"""A small drawing in each format, as the build hands it over, and with an imprint."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from functools import lru_cache
from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.figure import Figure as Canvas

from build_scripts.figures.imprint import Imprint, with_imprint

FORMATS = ("svg", "png", "pdf")

DATA = b'{"profiles": []}'

SAID = Imprint(
    slug="convergence-near",
    title="Counts come ever closer",
    description="What is drawn. What is taken for granted. What is left out.",
    alt="A line that falls.",
    author="The contributors",
    licence="CC BY 4.0",
    licence_url="https://creativecommons.org/licenses/by/4.0/",
    source="https://example.org/figures/convergence-near/",
    data="data/profiles.v1.json",
    data_sha256=hashlib.sha256(DATA).hexdigest(),
    engine_version="0.1.0",
    seed="20230202",
    rounds="1000000",
)

_WITHOUT: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}


@lru_cache(maxsize=3)
def drawing(kind: str) -> bytes:
    """Return a drawing that says nothing about itself."""
    file = BytesIO()
    with matplotlib.rc_context({"pdf.fonttype": 42, "svg.hashsalt": "near"}):
        canvas = Canvas(figsize=(2, 1.5), dpi=60)
        canvas.subplots().plot([3, 1, 0])
        canvas.text(0.4, 0.9, "Drawn words")
        canvas.savefig(file, format=kind, metadata=_WITHOUT[kind])
    return file.getvalue()


def imprinted(kind: str, **changes: str) -> bytes:
    """Return the drawing as a file that says `SAID`, but for some changes."""
    return with_imprint(drawing(kind), Imprint(**{**asdict(SAID), **changes}))
