"""A comparison for a terminal, or for a comment on a change: what matters most comes first.

A line that begins with ``-`` is an old text, one with ``+`` a new one, and ``@@`` says where they
stand, so that a fenced block of kind ``diff`` has them in colours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from build_scripts.comparing.aligning import Change
from build_scripts.comparing.comparison import (
    ADDED,
    CHANGED,
    GONE,
    Comparison,
    FigureChange,
    FileChange,
    ValuesOf,
)
from build_scripts.comparing.units import LABEL, ROW
from build_scripts.comparing.values import Value
from build_scripts.verify import printable
from build_scripts.wording import count
from build_scripts.work import page_path

VALUES_SHOWN = 3
"""Of a profile or file that is new or gone; the first ones matter most."""

ROWS_SHOWN = 6
"""Of the table of a figure."""

_RECORD = "build_scripts/figures/published.json"


def as_text(of: Comparison) -> Iterator[str]:
    """Yield the lines; none holds a control character, whatever the data hold."""
    sections = {
        "Addresses that break": _broken(of),
        "Figures that have moved": _moved(of),
        "New figures": _new_figures(of),
        "Data": _data(of),
        "Numbers": _values(of.numbers),
        "Pages": _pages(of),
        "Figures": _figures(of.figures),
        "Other files": _files(of.files),
        "Origin": _origin(of),
    }
    lines = [f"old: {of.old}", f"new: {of.new}", "", _verdict(of)]
    for title, section in sections.items():
        if told := list(section):
            lines += ["", f"# {title}", "", *told]
    yield from map(printable, lines)


def _verdict(of: Comparison) -> str:
    if not of.for_readers:
        return "Nothing changes for readers."
    broken = len(list(_broken_slugs(of))) + len(_broken_paths(of))
    counted = (
        (_number(of.edits), "value in the data", "values in the data"),
        (_number(of.numbers), "computed number", None),
        (len({_pair(each) for page in of.pages for each in page.seen}), "text", None),
        (len([page for page in of.pages if not page.of_origin]), "page", None),
        (len([each for each in of.figures if each.redrawn]), "picture", None),
        (
            len([file for file in of.files if not file.of_origin]),
            "file for programs",
            "files for programs",
        ),
    )
    told = [count(number, noun, plural) for number, noun, plural in counted if number]
    breaks = count(broken, "address breaks", "addresses break")
    return f"Changes for readers: {', '.join(told)}; {breaks}."


def _number(groups: Iterable[ValuesOf]) -> int:
    return sum(len(each.values) for each in groups)


# Addresses.


def _broken(of: Comparison) -> Iterator[str]:
    slugs = dict(_broken_slugs(of))
    yield from (f"  figures/{slug}/" for slug in slugs)
    yield from (f"  {_address(path)}" for path in _broken_paths(of))
    if renamed := {slug: now for slug, now in slugs.items() if now}:
        yield ""
        yield f'The same figures have other names. Recorded under "moved" in {_RECORD},'
        yield "their old addresses lead to them:"
        yield from (f"  {json.dumps(slug)}: {json.dumps(now)}," for slug, now in renamed.items())


def _broken_slugs(of: Comparison) -> Iterator[tuple[str, str | None]]:
    """Yield the slugs that lead nowhere, and what shows the same now."""
    for each in of.slugs:
        if each.state == GONE and each.leads_to is None:
            yield each.slug, each.successor


def _broken_paths(of: Comparison) -> list[str]:
    """Return what is gone besides pages and files of figures, which their slugs stand for."""
    slugs = {each.slug for each in of.slugs}
    return [
        path
        for path in of.gone
        if not (path.startswith("figures/") and path.split("/")[1].partition(".")[0] in slugs)
    ]


def _address(path: str) -> str:
    """Return the address of a page below the site, as it is without directory URLs."""
    page, mark, place = path.partition("#")
    return (page[:-3] + ".html" if page.endswith(".md") else page) + mark + place


def _moved(of: Comparison) -> Iterator[str]:
    for each in of.slugs:
        if each.leads_to is not None:
            yield f"  {each.slug} → {each.leads_to}: the old address leads there"


def _new_figures(of: Comparison) -> Iterator[str]:
    added = [each for each in of.slugs if each.state == ADDED]
    yield from (f"  {each.slug}" for each in added)
    if any(not each.published for each in added):
        yield ""
        yield f'They stay for ever once published: record them under "slugs" in {_RECORD}.'


# Values.


def _data(of: Comparison) -> Iterator[str]:
    for old, new in of.renamed.items():
        yield f"{old} is {new} now: nothing but its id and its words can differ"
    yield from _values(of.edits)


def _values(groups: Iterable[ValuesOf]) -> Iterator[str]:
    for group in groups:
        if group.state == CHANGED:
            yield f"{group.of}:"
            for each in group.values:
                yield f"  {each.name}: {_worded(each.old)} → {_worded(each.new)}"
        else:
            yield f"{group.of} ({group.state}):"
            told = [f"  {each.name}: {_worded(each.new or each.old)}" for each in group.values]
            yield from told[:VALUES_SHOWN]
            yield from _more(len(told) - VALUES_SHOWN)


def _worded(value: Value | None) -> str:
    return value.worded if value else "nothing"


def _more(number: int) -> Iterator[str]:
    if number > 0:
        yield f"  … and {count(number, 'more', 'more')}, with --json"


# Texts.


def _pages(of: Comparison) -> Iterator[str]:
    """Yield each text once: those of figures, and of their pages, are told with the figures."""
    told = {_pair(change) for figure in of.figures for change in figure.changes}
    their_pages = {f"{page_path(figure.slug)}index.md" for figure in of.figures}
    for page in of.pages:
        if page.path in their_pages:
            continue
        if page.state == ADDED:
            yield f"## {page.path} (new)"
        elif page.seen:
            known = {_pair(each) for each in page.seen} & told
            yield f"## {page.path}"
            yield from _texts(_untold(page.seen, told), lambda change: change.near)
            if known:
                yield f"({count(len(known), 'text')} told elsewhere)"


def _untold(
    changes: Iterable[Change], told: set[tuple[str | None, str | None]]
) -> Iterator[Change]:
    """Yield the changes that have not been told, and take them for told."""
    for each in changes:
        if _pair(each) not in told:
            told.add(_pair(each))
            yield each


def _pair(change: Change) -> tuple[str | None, str | None]:
    return change.old, change.new


def _texts(changes: Iterable[Change], near: Callable[[Change], str]) -> Iterator[str]:
    for place, each in groupby(changes, near):
        if place:
            yield f"@@ {place} @@"
        for change in each:
            yield from _both(change)


def _both(change: Change) -> Iterator[str]:
    if change.old is not None:
        yield f"- {change.old}"
    if change.new is not None:
        yield f"+ {change.new}"


def _figures(figures: Iterable[FigureChange]) -> Iterator[str]:
    for figure in figures:
        if figure.state == CHANGED and not figure.of_origin:
            yield f"## {figure.slug} ({'drawn anew' if figure.redrawn else 'the same picture'})"
            said = [
                each
                for each in figure.changes
                if not each.of_origin and each.kind not in (ROW, LABEL)
            ]
            yield from _texts(said, lambda change: change.kind)
            rows = [each for each in figure.changes if each.kind == ROW]
            yield from _texts(rows[:ROWS_SHOWN], lambda change: change.near)
            yield from _more(len(rows) - ROWS_SHOWN)


def _files(files: Iterable[FileChange]) -> Iterator[str]:
    for file in files:
        if file.state == ADDED:
            yield f"  {file.path} (new)"
        elif values := [each for each in file.changes if not each.of_origin]:
            yield f"  {file.path}: {count(len(values), 'value')}"


def _origin(of: Comparison) -> Iterator[str]:
    for file in of.data:
        yield f"data/{file.name}{': says the same in other bytes' if file.respelt else ''}"
        yield f"  SHA-256 {file.old_sha256 or 'none'} → {file.new_sha256 or 'none'}"
    counted = (("page", of.pages), ("file", of.files), ("figure", of.figures))
    only = [
        count(number, noun)
        for noun, changes in counted
        if (number := len([each for each in changes if each.of_origin]))
    ]
    if only:
        yield f"Only digests differ in {', '.join(only)}; `verify` calls older copies outdated."
