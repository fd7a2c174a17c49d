"""The numbers behind a figure, exact, and as CSV and back.

A CSV file begins with cells ``# name: value`` about the figure, each on a line of its own; then
come a header and the rows. Exact numbers have two columns: ``rate`` with the fraction,
``rate_decimal`` with the nearest double. Programs that open CSV turn some texts into other things,
``=1+1`` into a formula and 1/8 into a date; so a text that begins with one of ``= + - @ '``, a
digit or a control character, and every fraction with a slash or a sign, has an apostrophe before
it, which `read_csv` takes off again.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Cell: TypeAlias = str | int | Fraction | float | None
Kind = Literal["text", "count", "exact", "measured"]

DECIMAL = "_decimal"
"""Ends the name of the column that repeats exact numbers as decimals."""

_READS: Mapping[Kind, type] = {"text": str, "count": int, "exact": Fraction, "measured": float}
_WOULD_CHANGE: Mapping[Kind, re.Pattern[str]] = {
    "text": re.compile(r"[=+\-@'\x00-\x1f＝＋－＠\d]"),
    "exact": re.compile(r"-|\d+/"),
}
"""Begins what a spreadsheet would take for a formula, a date or a number."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: for programs, e.g. ``acceptance_rate``.
        label: for people, e.g. ``Acceptance rate``.
        kind: what its cells are: ``text``, ``count`` (int), ``exact`` (Fraction) or ``measured``
            (float). Any cell can be None: there is nothing.
    """

    name: str
    label: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __init__(self, columns: Iterable[Column], rows: Iterable[Sequence[Cell]]) -> None:
        """Take the cells.

        Raises:
            ValueError: a row of another length, or a cell that is not of its column's kind.
        """
        object.__setattr__(self, "columns", tuple(columns))
        object.__setattr__(self, "rows", tuple(map(tuple, rows)))
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number}: expected {len(self.columns)} cells, got {len(row)}"
                )
            for column, cell in zip(self.columns, row, strict=True):
                if cell is not None and type(cell) is not _READS[column.kind]:
                    raise ValueError(
                        f"row {number}: {column.name}: expected {_READS[column.kind].__name__}, "
                        f"got {type(cell).__name__}"
                    )


def to_csv(table: Table, about: Mapping[str, str]) -> bytes:
    """Return a table as a CSV file (UTF-8, lines end with CRLF).

    Args:
        table: what to write.
        about: said of it in the first lines; line breaks in a value become spaces.
    """
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerows([f"# {name}: {' '.join(value.split())}"] for name, value in about.items())
    writer.writerow(name for column in table.columns for name in _names(column))
    for row in table.rows:
        writer.writerow(
            text
            for column, cell in zip(table.columns, row, strict=True)
            for text in _cells(column.kind, cell)
        )
    return file.getvalue().encode()


def _names(column: Column) -> tuple[str, ...]:
    return (column.name, column.name + DECIMAL) if column.kind == "exact" else (column.name,)


def _cells(kind: Kind, cell: Cell) -> tuple[str, ...]:
    text = "" if cell is None else str(cell)
    if kind in _WOULD_CHANGE and _WOULD_CHANGE[kind].match(text):
        text = f"'{text}"
    if kind != "exact":
        return (text,)
    return (text, repr(float(cell)) if isinstance(cell, Fraction) else "")


def read_csv(content: bytes, columns: Sequence[Column]) -> Table:
    """Return the table that `to_csv` wrote, with these columns.

    Raises:
        ValueError: a header that does not fit the columns, or a cell that is not of its kind.
    """
    lines = csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True)
    header = next((line for line in lines if not line[0].startswith("# ")), [])
    expected = [name for column in columns for name in _names(column)]
    if header != expected:
        raise ValueError(f"expected the columns {expected}, got {header}")
    rows = (dict(zip(header, line, strict=True)) for line in lines)
    return Table(columns, ([_read(column, row[column.name]) for column in columns] for row in rows))


def _read(column: Column, text: str) -> Cell:
    if not text:
        return None
    written = text.removeprefix("'") if column.kind in _WOULD_CHANGE else text
    cell: Cell = _READS[column.kind](written)
    return cell
