"""The list of all figures for programs: ``figures/manifest.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from build_scripts.citations import Citation, Cited, cite
from build_scripts.figures.files import Drawn
from build_scripts.work import CONTENT_LICENCE, CONTENT_LICENCE_URL, Work, page_path

MANIFEST = "figures/manifest.json"
SCHEMA = "manifest.v1.schema.json"
"""Beside the manifest; written by hand in ``docs/figures/``."""


def manifest(figures: Mapping[str, Drawn], work: Work) -> bytes:
    """Return the manifest: every figure with its words, files, digests, origin and citations."""
    document = {
        "$schema": SCHEMA,
        "version": 1,
        "title": work.title,
        "address": work.address or None,
        "licence": {"name": CONTENT_LICENCE, "url": CONTENT_LICENCE_URL},
        "figures": [_entry(each, work) for each in figures.values()],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def _entry(drawn: Drawn, work: Work) -> dict[str, object]:
    figure = drawn.figure
    origin = figure.provenance
    return {
        "id": figure.slug,
        "title": figure.title,
        "subject": figure.subject,
        "caption": figure.caption,
        "alt": figure.alt,
        "assumption": figure.assumption,
        "does_not_show": figure.omits,
        "page": f"{figure.slug}/",
        "files": {
            name: {
                "path": drawn.path(name).rpartition("/")[2],
                "bytes": len(content),
                "sha256": drawn.sha256(name),
            }
            for name, content in drawn.files.items()
        },
        "data": origin.data,
        "data_sha256": origin.data_sha256,
        "engine_version": drawn.imprint.engine_version,
        "module": origin.module,
        "seed": origin.seed,
        "rounds": origin.rounds,
        "licence": CONTENT_LICENCE,
        "citation": asdict(citation_of(drawn, work)),
    }


def citation_of(drawn: Drawn, work: Work) -> Citation:
    """Return how to cite a figure."""
    figure = drawn.figure
    return cite(
        work,
        Cited(
            key=figure.slug,
            title=figure.name,
            address=work.cited_at(page_path(figure.slug)),
            details=(
                f"Engine {drawn.imprint.engine_version}, data SHA-256 {drawn.imprint.data_sha256}"
            ),
        ),
    )
