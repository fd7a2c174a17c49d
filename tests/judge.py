"""A second judge of data files, and whether loader and command agree with it.

It is slow and short: Python's own JSON reader, the JSON Schema, and the rules that a schema cannot
say, each in a line. It shares no code with the loader but the limits of a file.
"""

from __future__ import annotations

import io
import json
import re
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from specdec import load
from specdec.__main__ import main
from specdec.profiles import Scenario
from specdec.source import LARGEST_FILE

SCHEMA = Path(__file__).parent.parent / "data/profiles.v1.schema.json"


class RefusedError(ValueError):
    """The plain judge says no."""


def judged(raw: bytes) -> dict[str, Any]:
    """Return what a file says, by `json`; refuse what no data file may be."""
    require(len(raw) <= LARGEST_FILE)
    try:
        data = json.loads(
            raw.decode("utf-8").removeprefix("\ufeff"),
            object_pairs_hook=each_key_once,
            parse_float=no_number,
            parse_constant=no_number,
            parse_int=short_number,
        )
    except (ValueError, RecursionError):
        raise RefusedError from None
    require(validator().is_valid(data))
    require("json-schema.org" not in data.get("$schema", ""))
    k, size = len(data["target"]), len(data["vocabulary"])
    rows = [*data["target"], data["bonus"]]
    draft_step, verify_pass = prices(data)
    require(draft_step >= 0 and verify_pass > 0)
    for profile in data["profiles"]:
        draws = profile["draws"]
        rows += profile["draft"]
        require(len(profile["draft"]) == len(profile["proposals"]) == len(draws["accept"]) == k)
        for draw in (*draws["accept"], draws["replacement"], draws["bonus"]):
            require(0 <= Fraction(draw) < 1)
        for row, proposal in zip(profile["draft"], profile["proposals"], strict=True):
            require(dict(zip(data["vocabulary"], row, strict=False)).get(proposal, 0) > 0)
    require(all(len(row) == size and sum(row) == data["denominator"] for row in rows))
    require(max(Counter(profile["id"] for profile in data["profiles"]).values()) == 1)
    return dict(data)


def prices(data: dict[str, Any]) -> tuple[Fraction, Fraction]:
    return Fraction(data["cost_model"]["draft_step"]), Fraction(data["cost_model"]["verify_pass"])


def require(condition: bool) -> None:
    if not condition:
        raise RefusedError


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len({key for key, _ in pairs}) == len(pairs))
    return dict(pairs)


def no_number(written: str) -> None:
    """Stand in for a number that no data file may hold; ``null`` is allowed nowhere."""


def short_number(written: str) -> int | None:
    return int(written) if len(written) <= 40 else None


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))


def assert_same_values(scenario: Scenario, data: dict[str, Any]) -> None:
    """Check that what was loaded is what the file says."""
    whole = data["denominator"]

    def fractions(rows: list[list[int]]) -> list[list[Fraction]]:
        return [[Fraction(numerator, whole) for numerator in row] for row in rows]

    assert [list(row.probabilities) for row in scenario.target] == fractions(data["target"])
    assert [list(scenario.bonus.probabilities)] == fractions([data["bonus"]])
    assert list(scenario.vocabulary) == data["vocabulary"]
    assert (scenario.title, scenario.context) == (data["title"], data["context"])
    assert scenario.short_title == data.get("short_title", data["title"])
    assert scenario.description == data.get("description", "")
    assert (scenario.cost_model.draft_step, scenario.cost_model.verify_pass) == prices(data)
    for profile, given_ in zip(scenario.profiles, data["profiles"], strict=True):
        assert (profile.id, profile.title) == (given_["id"], given_["title"])
        assert profile.short_title == given_.get("short_title", given_["title"])
        assert profile.description == given_.get("description", "")
        assert [list(row.probabilities) for row in profile.draft] == fractions(given_["draft"])
        assert list(profile.proposals) == given_["proposals"]
        draws = given_["draws"]
        assert list(profile.draws.accept) == list(map(Fraction, draws["accept"]))
        assert profile.draws.replacement == Fraction(draws["replacement"])
        assert profile.draws.bonus == Fraction(draws["bonus"])


FAULT = re.compile(r"fuzz\.json:[1-9]\d*: (?:\(document\)|/[^\n]*): [^\n]+, expected [^\n]+")


def assert_judged_alike(raw: bytes, seconds: float = 5) -> bool:
    """Check that the loader, the command and the judge agree on a file; say whether it is good.

    It is written to the working folder. For a person's mistake the command ends with 1 and a line
    for each, never with a traceback.
    """
    Path("fuzz.json").write_bytes(raw)
    said, complained = io.StringIO(), io.StringIO()
    start = time.process_time()
    with redirect_stdout(said), redirect_stderr(complained):
        code = main(["check", "fuzz.json"])
    assert time.process_time() - start < seconds
    try:
        data = judged(raw)
    except RefusedError:
        assert (code, said.getvalue()) == (1, "")
        lines = complained.getvalue().removesuffix("\n").split("\n")
        assert [line for line in lines if not FAULT.fullmatch(line)] == []
        assert all(line.isprintable() for line in lines)
        assert len(lines) == len(set(lines))
        return False
    assert (code, complained.getvalue()) == (0, "")
    assert said.getvalue().startswith("fuzz.json: good, ")
    assert_same_values(load("fuzz.json"), data)
    return True
