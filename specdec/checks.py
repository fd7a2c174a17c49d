"""What one value of a data file may be, and the report of every value that may not.

A `Check` is a kind of value; those below make the kinds that files consist of. Text is looked at
before anything in it is converted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import TypeGuard

from specdec.errors import LONGEST_SHOWN, Fault, ProfileError, shown
from specdec.exact import EXACT_TEXT
from specdec.source import LONGEST_NUMBER, Document, Node, Number

MOST_FAULTS = 10_000
"""Faults of one file that are listed."""

UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""What no text may hold: control characters, line ends, lone surrogates, and what XML excludes.

Everything else is shown as it is. That includes the marks that turn the direction of writing:
pages isolate every text of a file, so that a mark does not outlast it.
"""

_SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class Report:
    """The faults of one document, and which values they make doubtful."""

    def __init__(self, document: Document) -> None:
        """Begin with the keys that stand twice in one object."""
        self._document = document
        self._faults: list[tuple[int, Fault]] = []
        self._doubtful: set[Node] = set()
        for again, first in document.repeated:
            found = f"key again, first on line {document.line(first)}"
            self.refuse(again, found, "each key once")
            self._doubtful.add(first)  # either may be the one that was meant

    def refuse(self, node: Node, found: str, expected: str) -> None:
        """Add a fault at ``node``.

        Raises:
            ProfileError: with this one there are `MOST_FAULTS`.
        """
        self._faults.append((node.start, self._document.fault(node, found, expected)))
        if len(self._faults) == MOST_FAULTS:
            end = self._document.fault(node, "checking ended here", f"under {MOST_FAULTS:,} faults")
            self._faults.append((node.start, end))
            self.raise_if_any()
        place: Node | None = node
        while place:
            self._doubtful.add(place)
            place = place.parent

    def is_sound(self, node: Node | None) -> TypeGuard[Node]:
        """Say whether the value exists and nothing in it was refused, so that others may use it."""
        return node is not None and node not in self._doubtful

    def raise_if_any(self) -> None:
        """Raise what was found.

        Raises:
            ProfileError: every fault, in the order of the file.
        """
        if self._faults:
            in_order = sorted(self._faults, key=lambda placed: placed[0])
            raise ProfileError(fault for _, fault in in_order)


@dataclass(frozen=True, slots=True)
class Check:
    """A kind of value.

    Attributes:
        expected: what such a value is, in a message about one that is missing or something else.
        check: reports everything that is wrong with a value, taken by itself.
    """

    expected: str
    check: Callable[[Node, Report], None]


def version(number: int) -> Check:
    """Return the check for the one version of the format that there is."""
    expected = f"the whole number {number}"

    def check(node: Node, report: Report) -> None:
        if type(node.value) is not int or node.value != number:  # True and 1.0 equal 1
            report.refuse(node, describe(node), expected)

    return Check(expected, check)


def whole_number(least: int, most: int | None = None) -> Check:
    """Return the check for a JSON integer; 4.0 is none."""
    expected = f"a whole number >= {least}"

    def check(node: Node, report: Report) -> None:
        value = node.value
        if isinstance(value, Number) and len(value.text) > LONGEST_NUMBER:
            report.refuse(node, describe(node), f"at most {LONGEST_NUMBER}")
        elif type(value) is not int or value < least:  # True is an int, too
            report.refuse(node, describe(node), expected)
        elif most is not None and value > most:
            report.refuse(node, describe(node), f"at most {most}")

    return Check(expected, check)


def text(expected: str, longest: int, accepts: Callable[[str], object] | None = None) -> Check:
    """Return the check for text without `UNSHOWABLE` characters.

    Args:
        expected: what it is.
        longest: how many characters it may have.
        accepts: what else must be true of it.
    """

    def check(node: Node, report: Report) -> None:
        value = node.value
        if not isinstance(value, str):
            report.refuse(node, describe(node), expected)
        elif len(value) > longest:
            report.refuse(node, f"text of {len(value)} characters", f"at most {longest}")
        elif unshowable := UNSHOWABLE.search(value):
            found = f"U+{ord(unshowable[0]):04X} in {shown(value)}"
            report.refuse(node, found, "no control character, line end or lone surrogate")
        elif accepts and not accepts(value):
            report.refuse(node, describe(node), expected)

    return Check(expected, check)


def slug(longest: int, reserved: frozenset[str]) -> Check:
    """Return the check for a name that is safe in addresses and as a file name.

    Args:
        longest: how many characters it may have.
        reserved: names that are taken.
    """
    expected = "small letters, digits and single hyphens, such as 'my-draft'"

    def check(node: Node, report: Report) -> None:
        value = node.value
        if isinstance(value, str) and len(value) > longest:
            report.refuse(node, f"an id of {len(value)} characters", f"at most {longest}")
        elif not isinstance(value, str) or not _SLUG.fullmatch(value):
            report.refuse(node, describe(node), expected)
        elif value in reserved:
            report.refuse(node, f"{shown(value)}, which is reserved", "another id")

    return Check(expected, check)


def exact_number(limits: str, accepts: Callable[[Fraction], bool]) -> Check:
    """Return the check for a number in text, which is read exactly.

    Args:
        limits: what range it is in, for messages.
        accepts: whether a number is in that range.
    """
    expected = f'a string such as "1/2" or "0.1", {limits}'

    def check(node: Node, report: Report) -> None:
        value = node.value
        if isinstance(value, str) and len(value) > LONGEST_NUMBER:
            found = f"a string of {len(value)} characters"
            report.refuse(node, found, f"at most {LONGEST_NUMBER}")
        elif (
            not isinstance(value, str)
            or not EXACT_TEXT.fullmatch(value)
            or not accepts(Fraction(value))
        ):
            report.refuse(node, describe(node), expected)

    return Check(expected, check)


def list_of(each: Check, noun: str) -> Check:
    """Return the check for one or more of something.

    Args:
        each: what.
        noun: its name in messages.
    """
    expected = f"a list of at least one {noun}"

    def check(node: Node, report: Report) -> None:
        if not node.elements:
            report.refuse(node, describe(node), expected)
        for element in node.elements:
            each.check(element, report)

    return Check(expected, check)


def object_of(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """Return the check for an object that has these keys and no others.

    A key that is nearly a missing one is taken for it: one mistake, one message.
    """
    expected = "an object"
    known = {**required, **(optional or {})}

    def check(node: Node, report: Report) -> None:
        if not isinstance(node.value, dict):
            report.refuse(node, describe(node), expected)
            return
        present = set(node.value)
        for key, member in node.value.items():
            if key in known:
                known[key].check(member, report)
            else:
                nearest = get_close_matches(key[:LONGEST_SHOWN], known, n=1)
                present.update(nearest)
                report.refuse(member, "unknown key", " or ".join(map(repr, nearest or known)))
        for key, member_check in required.items():
            if key not in present:
                absent = Node(None, node.start, node, key)
                report.refuse(absent, "missing", member_check.expected)

    return Check(expected, check)


def describe(node: Node) -> str:
    """Return what stands at ``node``, short enough for a message."""
    value = node.value
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, Number):
        text = value.text
        return text if len(text) <= LONGEST_NUMBER else f"a number of {len(text)} characters"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return shown(value)
