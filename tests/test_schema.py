"""The JSON Schema, which editors use, and the loader say the same about the same files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from specdec.checks import UNSHOWABLE
from specdec.rules import LONGEST_ID, LONGEST_LABEL, LONGEST_PROSE, RESERVED_IDS
from specdec.source import LONGEST_NUMBER
from tests.faults import BAD_FILES, GOOD_FILES, Bad, faults_of, mutated_files

DATA = Path(__file__).parent.parent / "data"
SCENARIOS = sorted(file for file in DATA.glob("*.json") if not file.name.endswith(".schema.json"))


@cache
def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DATA / "profiles.v1.schema.json").read_text("utf-8"))
    return loaded


def schema_accepts(raw: bytes) -> bool:
    """Judge as an editor does: what no JSON parser reads is refused before the schema is asked."""
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return Draft202012Validator(schema()).is_valid(value)


def objects(value: object) -> Iterator[dict[str, Any]]:
    """Yield every object in a JSON value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from objects(part)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.name)
def test_the_schema_accepts_what_is_shipped(file: Path) -> None:
    assert schema_accepts(file.read_bytes())
    assert json.loads(file.read_text("utf-8"))["$schema"] == "profiles.v1.schema.json"


@pytest.mark.parametrize("raw", GOOD_FILES.values(), ids=GOOD_FILES)
def test_the_schema_accepts_what_the_loader_accepts(raw: bytes) -> None:
    assert schema_accepts(raw)


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.rule) for bad in BAD_FILES])
def test_the_schema_refuses_a_bad_file_or_we_know_why_not(bad: Bad) -> None:
    assert schema_accepts(bad.raw) == bool(bad.beyond_schema), bad.beyond_schema


def test_every_field_explains_itself_on_hover() -> None:
    fields = [
        (name, field)
        for part in objects(schema())
        for name, field in part.get("properties", {}).items()
    ]
    assert {name for name, field in fields if not field.get("title")} == set()
    assert {name for name, field in fields if not field.get("description")} == set()
    assert {"version", "denominator", "draft", "accept", "verify_pass"} <= {n for n, _ in fields}


def test_no_object_takes_unknown_keys() -> None:
    described = [part for part in objects(schema()) if part.get("type") == "object"]
    assert len(described) == 4
    assert all(part["additionalProperties"] is False for part in described)


def test_every_example_is_a_good_one() -> None:
    parts = [
        part for part in objects(schema()) if "examples" in part and "type" not in part["examples"]
    ]
    assert len(parts) > 10
    for part in parts:
        validator = Draft202012Validator({**part, "$defs": schema()["$defs"]})
        for example in part["examples"]:
            validator.validate(example)


def test_limits_are_those_of_the_loader() -> None:
    kinds = schema()["$defs"]
    slug = kinds["profile"]["properties"]["id"]
    assert set(slug["not"]["enum"]) == RESERVED_IDS
    assert slug["maxLength"] == LONGEST_ID
    assert kinds["token"]["maxLength"] == kinds["label"]["maxLength"] == LONGEST_LABEL
    assert kinds["prose"]["maxLength"] == LONGEST_PROSE
    assert kinds["exact"]["maxLength"] == LONGEST_NUMBER
    unshowable = re.compile(kinds["text"]["not"]["pattern"])
    assert all(
        bool(unshowable.search(chr(code))) == bool(UNSHOWABLE.search(chr(code)))
        for code in range(0x10000)
    )


@given(raw=mutated_files())
def test_the_schema_accepts_every_mutation_that_the_loader_accepts(raw: bytes) -> None:
    if not faults_of(raw):
        assert schema_accepts(raw)
