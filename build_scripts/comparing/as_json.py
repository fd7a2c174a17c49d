"""A comparison for programs; ``comparison.v1.schema.json`` beside this describes it."""

from __future__ import annotations

import json
from dataclasses import asdict

from build_scripts.comparing.comparison import Comparison

SCHEMA = "comparison.v1.schema.json"


def as_json(of: Comparison) -> str:
    """Return everything that differs as JSON, in ASCII, so that a terminal shows it as it is."""
    document = {"$schema": SCHEMA, "version": 1, "for_readers": of.for_readers, **asdict(of)}
    return json.dumps(document, indent=1)
