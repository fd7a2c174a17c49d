"""The guide to editing: a complete small file, what a bad edit of it is told, and every field."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from build_scripts.errors import SiteError
from specdec.errors import ProfileError
from specdec.profiles import load

EXAMPLE = "edit/example.json"
NAME = "data/coin.v1.json"
"""What the example is called where a reader tries it."""

EDITS = (
    ('"draft_step": "1/10"', '"draft_step": 0.1'),
    ("[3, 1]", "[3, 2]"),
    ('"proposals": ["heads"]', '"proposals": ["edge"]'),
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a data file, as its schema describes it.

    Attributes:
        name: as written in the file, with the object it is in.
        required: whether it has to be there.
        meaning: in a sentence or two.
        example: as JSON; empty where the schema gives none.
    """

    name: str
    required: bool
    meaning: str
    example: str


@dataclass(frozen=True, slots=True)
class EditGuide:
    """What the page shows.

    Attributes:
        example: a complete data file.
        edits: (as it was, as it is after a bad edit).
        refusal: what the loader says of all edits together, a fault a line.
        scenario: the fields of a file.
        profile: the fields of each of its profiles.
    """

    example: str
    edits: tuple[tuple[str, str], ...]
    refusal: str
    scenario: tuple[Field, ...]
    profile: tuple[Field, ...]


def edit_guide(docs: Path, schema: Path) -> EditGuide:
    """Return the guide, its example checked and its refusal as the loader words it.

    Args:
        docs: the folder of authored pages, which has the example.
        schema: of the data files.

    Raises:
        SiteError: the example is refused, or an edit of it is not.
    """
    place = docs / EXAMPLE
    example = edited = place.read_text(encoding="utf-8")
    if refused := _refusal(example):
        raise SiteError(f"{place}: {refused}")
    for before, after in EDITS:
        edited = edited.replace(before, after)
    refusal = _refusal(edited)
    if len(refusal.splitlines()) != len(EDITS):
        raise SiteError(f"{place}: expected a fault for each of {EDITS}, got {refusal!r}")
    described = json.loads(schema.read_text(encoding="utf-8"))
    profile = described["$defs"]["profile"]
    return EditGuide(example, EDITS, refusal, tuple(_fields(described)), tuple(_fields(profile)))


def _refusal(text: str) -> str:
    """Return what the loader says of a file, as if it had the name that the page gives it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        path.write_text(text, encoding="utf-8")
        try:
            load(path)
        except ProfileError as error:
            return str(ProfileError(replace(fault, path=NAME) for fault in error.faults))
    return ""


def _fields(described: dict[str, Any], inside: str = "") -> Iterator[Field]:
    """Yield the fields of an object and of the objects in it."""
    for name, each in described["properties"].items():
        if "properties" in each:
            yield from _fields(each, f"{inside}{name}.")
        else:
            examples = each.get("examples", [])
            yield Field(
                name=inside + name,
                required=name in described["required"],
                meaning=each["description"],
                example=json.dumps(examples[0], ensure_ascii=False) if examples else "",
            )
