"""Every rule that a data file must keep, in two parts.

First what each value may be by itself (`SCENARIO`; the JSON Schema says the same to editors), then
how values must agree, which no schema can say. A rule of the second part is silent about values
that were refused already, so that one mistake makes one message.
"""

from __future__ import annotations

from collections.abc import Iterator

from specdec.checks import (
    Report,
    exact_number,
    list_of,
    object_of,
    slug,
    text,
    version,
    whole_number,
)
from specdec.errors import shown
from specdec.source import Document, Node

LONGEST_LABEL = 1_000
"""Characters of a token or a title."""

LONGEST_PROSE = 10_000
"""Characters of a context or a description."""

MOST_POSITIONS = 64
"""Proposals of a round. Its exact results have at most that many times the denominator's digits,
twice over for the variance, and Python prints 4,300."""

LARGEST_DENOMINATOR = 10**18
"""See `MOST_POSITIONS`."""

LONGEST_ID = 40
"""Characters of an id."""

_PAGES = (
    "404 about assets benchmark changelog cite code compare convergence cost coverage data "
    "decisions edit embed exercises figures fonts frames glossary home index javascripts licence "
    "license limits math misconceptions mistakes nimbus offline profiles search sitemap sources "
    "start stylesheets wrong-rules"
)
_WINDOWS_DEVICES = (
    "aux con nul prn com1 com2 com3 com4 com5 com6 com7 com8 com9 "
    "lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9"
)

RESERVED_IDS = frozenset(f"{_PAGES} {_WINDOWS_DEVICES}".split())
"""Ids that no profile may have: pages and folders that the site has or may come to have, and names
that Windows keeps for itself, since a profile's pages and files are named after it."""


# What each value may be.

_LABEL = text("text that is not blank", LONGEST_LABEL, accepts=str.strip)
_PROSE = text("text", LONGEST_PROSE)
_TOKEN = text("text that is not empty", LONGEST_LABEL, accepts=bool)
_ROW = list_of(whole_number(0), "numerator")
_ROWS = list_of(_ROW, "row")
_DRAW = exact_number("in [0, 1)", lambda number: 0 <= number < 1)

_PROFILE = object_of(
    required={
        "id": slug(LONGEST_ID, RESERVED_IDS),
        "title": _LABEL,
        "draft": _ROWS,
        "proposals": list_of(_TOKEN, "token"),
        "draws": object_of(
            required={
                "accept": list_of(_DRAW, "draw"),
                "replacement": _DRAW,
                "bonus": _DRAW,
            }
        ),
    },
    optional={"short_title": _LABEL, "description": _PROSE},
)

SCENARIO = object_of(
    required={
        "version": version(1),
        "title": _LABEL,
        "context": _PROSE,
        "denominator": whole_number(1, LARGEST_DENOMINATOR),
        "vocabulary": list_of(_TOKEN, "token"),
        "target": _ROWS,
        "bonus": _ROW,
        "cost_model": object_of(
            required={
                "draft_step": exact_number(">= 0", lambda number: number >= 0),
                "verify_pass": exact_number("> 0", lambda number: number > 0),
            }
        ),
        "profiles": list_of(_PROFILE, "profile"),
    },
    optional={"$schema": _PROSE, "short_title": _LABEL, "description": _PROSE},
)


def check_scenario(document: Document, ids: dict[str, str]) -> None:
    """Check a whole file.

    Args:
        document: the file.
        ids: where each id was first seen, in this file and those before it; added to.

    Raises:
        ProfileError: every fault, in the order of the file.
    """
    root, report = document.root, Report(document)
    schema = root.find("$schema")
    if schema and "json-schema.org" in str(schema.value):
        report.refuse(schema, "a JSON Schema", "a scenario")
        report.raise_if_any()
    SCENARIO.check(root, report)
    _tokens_differ(root, report)
    _rows_fit(root, report)
    _positions_agree(root, report)
    _proposals_can_be_drafted(root, report)
    _ids_differ(document, report, ids)
    report.raise_if_any()


# How values must agree.


def _tokens_differ(root: Node, report: Report) -> None:
    seen: dict[str, Node] = {}
    for node in _elements(root.find("vocabulary")):
        if report.is_sound(node):
            first = seen.setdefault(str(node.value), node)
            if first is not node:
                found = f"{shown(node.value)} again, first at {first.pointer}"
                report.refuse(node, found, "each token once")


def _rows_fit(root: Node, report: Report) -> None:
    """One numerator per token, and the denominator as their sum."""
    vocabulary, denominator = root.find("vocabulary"), root.find("denominator")
    for row in _rows(root):
        size = len(row.elements)
        if size and report.is_sound(vocabulary) and size != len(vocabulary.elements):
            expected = f"{len(vocabulary.elements)}, one per token"
            report.refuse(row, _counted(size, "numerator"), expected)
        elif report.is_sound(row) and report.is_sound(denominator):
            total = sum(row.plain())
            if total != denominator.value:
                report.refuse(row, f"numerators sum to {total}", f"{denominator.value}")


def _positions_agree(root: Node, report: Report) -> None:
    """Every part of a profile has an entry for each target row, and they are not too many."""
    target = root.find("target")
    k = len(_elements(target))
    if target and k > MOST_POSITIONS:
        report.refuse(target, _counted(k, "row"), f"at most {MOST_POSITIONS}")
    for profile in _elements(root.find("profiles")):
        for part, noun in (
            (profile.find("draft"), "row"),
            (profile.find("proposals"), "proposal"),
            (profile.find("draws", "accept"), "draw"),
        ):
            if part and part.elements and k and len(part.elements) != k:
                found = _counted(len(part.elements), noun)
                report.refuse(part, found, f"{k}, one per target row")


def _proposals_can_be_drafted(root: Node, report: Report) -> None:
    """A proposal is a token of the vocabulary, and its draft row gives it a chance."""
    vocabulary = root.find("vocabulary")
    tokens = [token.value for token in _elements(vocabulary)]
    if not tokens or not all(isinstance(token, str) for token in tokens):
        return
    column = {str(token): i for i, token in enumerate(tokens)}
    for profile in _elements(root.find("profiles")):
        proposals, rows = _elements(profile.find("proposals")), _elements(profile.find("draft"))
        paired = report.is_sound(vocabulary) and len(rows) == len(proposals)
        for i, proposal in enumerate(proposals):
            if not report.is_sound(proposal):
                continue
            token = str(proposal.value)
            if token not in column:
                report.refuse(proposal, shown(token), "a token of the vocabulary")
            elif paired and report.is_sound(rows[i]) and rows[i].elements[column[token]].value == 0:
                found = f"{shown(token)}, to which its draft row gives probability 0"
                report.refuse(proposal, found, "a token that the draft can propose")


def _ids_differ(document: Document, report: Report, ids: dict[str, str]) -> None:
    """No two profiles share an id, be it in different files."""
    for profile in _elements(document.root.find("profiles")):
        node = profile.find("id")
        if not report.is_sound(node):
            continue
        name = str(node.value)
        if name in ids:
            report.refuse(node, f"{shown(name)} again, first in {ids[name]}", "an id of its own")
        else:
            ids[name] = f"{document.path}:{document.line(node)}"


def _rows(root: Node) -> Iterator[Node]:
    yield from _elements(root.find("target"))
    if bonus := root.find("bonus"):
        yield bonus
    for profile in _elements(root.find("profiles")):
        yield from _elements(profile.find("draft"))


def _elements(node: Node | None) -> list[Node]:
    return node.elements if node else []


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
