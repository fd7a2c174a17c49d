"""JSON text, read so that every value knows where it stands.

The ``json`` module forgets lines, follows nesting until it breaks and converts a number before
anyone can look at it. This reader keeps the place of every value, stops at `DEEPEST` levels and
leaves a number it has not been told to trust as text.

To name what is wrong where it stands, it reads slightly more than JSON: ``NaN`` and ``Infinity``
are `Number` values, and a string may hold control characters that JSON wants escaped. Both are
left for the checks to refuse.
"""

from __future__ import annotations

import os
import re
import stat
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from specdec.errors import LONGEST_SHOWN, Fault, ProfileError, shown

LARGEST_FILE = 4_000_000
"""Bytes of a file that is read. A vocabulary of 30,000 tokens at five positions takes 1 MB."""

MOST_VALUES = 500_000
"""Values of a file that is read, lists and objects included: two or three seconds' worth. That
vocabulary takes 360,000."""

DEEPEST = 32
"""Lists and objects inside one another. A scenario needs five."""

LONGEST_NUMBER = 40
"""Characters of a number that is converted."""

_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
        "([^"\\\n\r]*+(?:\\[^\n\r][^"\\\n\r]*+)*+)"  # 1: a string
        | ([][{},:])                                 # 2: punctuation
        | ([^][{},:" \t\n\r]++)                      # 3: a number or a word
        | (\Z)                                       # 4: the end
        | (")                                        # 5: a quotation mark that opens no string
    )""",
    re.VERBOSE,
)
_STRING, _PUNCTUATION, _WORD, _END, _UNCLOSED = 1, 2, 3, 4, 5
_OPENING = frozenset("[{")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_ESCAPED = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Number:
    """A number that was not converted: with a fraction or an exponent, too long, or not finite.

    Attributes:
        text: as it stands in the file.
    """

    text: str


_WORDS = {
    "true": True,
    "false": False,
    "null": None,
    **{text: Number(text) for text in ("NaN", "Infinity", "-Infinity")},
}

Value = None | bool | int | str | Number | list["Node"] | dict[str, "Node"]


@dataclass(slots=True, eq=False)
class Node:
    """A value and its place.

    Attributes:
        value: what stands there; lists and objects hold nodes.
        start: its offset in the text.
        parent: the list or object it stands in; None for the document.
        key: its index or key there.
    """

    value: Value
    start: int
    parent: Node | None = field(repr=False)
    key: str | int

    @property
    def pointer(self) -> str:
        """The JSON pointer (RFC 6901); long keys are cut and what cannot be shown is escaped."""
        steps = []
        node = self
        while node.parent is not None:
            steps.append(_pointer_step(node.key))
            node = node.parent
        return "".join(f"/{step}" for step in reversed(steps))

    @property
    def elements(self) -> list[Node]:
        """The elements of a list; nothing if it is no list."""
        return self.value if isinstance(self.value, list) else []

    def find(self, *keys: str) -> Node | None:
        """Return the member of a member … of an object, or None where there is none."""
        node: Node | None = self
        for key in keys:
            if node is None or not isinstance(node.value, dict):
                return None
            node = node.value.get(key)
        return node

    def plain(self) -> Any:
        """Return the value in plain lists and dicts."""
        if isinstance(self.value, list):
            return [element.plain() for element in self.value]
        if isinstance(self.value, dict):
            return {key: member.plain() for key, member in self.value.items()}
        return self.value


def _pointer_step(key: str | int) -> str:
    step = str(key)
    if len(step) > LONGEST_SHOWN:
        step = step[: LONGEST_SHOWN - 1] + "…"
    step = step.replace("~", "~0").replace("/", "~1")
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in step)


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says.

    Attributes:
        path: the file, as the caller named it.
        root: its value.
        repeated: pairs of members that have the same key in the same object, the later one first.
            Only the earlier one is part of the object.
        line_starts: offset of each line but the first.
    """

    path: str
    root: Node
    repeated: list[tuple[Node, Node]]
    line_starts: list[int]

    def line(self, node: Node) -> int:
        """Return the line on which ``node`` starts, from 1."""
        return bisect_right(self.line_starts, node.start) + 1

    def fault(self, node: Node, found: str, expected: str) -> Fault:
        """Return a fault at ``node``."""
        return Fault(self.path, self.line(node), node.pointer, found, expected)


def read(path: str | os.PathLike[str]) -> Document:
    """Read a file.

    Raises:
        ProfileError: one fault: it cannot be read, is too large, or is no JSON.
    """
    name = os.fspath(path)
    try:
        raw = _bytes(Path(path))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _refused(name, f"cannot be read ({reason})", "a file of JSON text") from None
    except ValueError:  # NUL
        raise _refused(name, "a name that no file can have", "a file of JSON text") from None
    if raw is None:
        raise _refused(name, "no regular file", "a file of JSON text")
    if len(raw) > LARGEST_FILE:
        raise _refused(name, f"more than {LARGEST_FILE:,} bytes", "a smaller file")
    return parse(raw, name)


def _bytes(file: Path) -> bytes | None:
    """Return what is in a file, or more than `LARGEST_FILE` of it; None for no regular file."""
    if not stat.S_ISREG(file.stat().st_mode):  # a pipe would keep us waiting, a device never end
        return None
    with file.open("rb") as stream:
        return stream.read(LARGEST_FILE + 1)


def parse(raw: bytes, path: str) -> Document:
    """Read the bytes of a file: UTF-8, with or without a byte order mark.

    Args:
        raw: the bytes.
        path: the file's name, for messages.

    Raises:
        ProfileError: one fault: they are no UTF-8, no JSON, too many values, or nested too deep.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(raw[: error.start].decode())) + 1
        found = f"byte 0x{raw[error.start]:02x} at offset {error.start}"
        raise _refused(path, found, "UTF-8 text", line) from None
    return _Parser(path, text.removeprefix("\ufeff")).document()


def _refused(path: str, found: str, expected: str, line: int = 1) -> ProfileError:
    return ProfileError([Fault(path, line, "", found, expected)])


class _Parser:
    """Recursive descent over one text, one token ahead; the recursion ends at `DEEPEST`."""

    def __init__(self, path: str, text: str) -> None:
        line_starts = [match.end() for match in _LINE_END.finditer(text)]
        self._document = Document(path, Node(None, 0, None, ""), [], line_starts)
        self._values = 0
        self._tokens = _TOKEN.finditer(text)
        self._advance()

    def document(self) -> Document:
        root = self._document.root
        self._fill(root, depth=0)
        if self._kind != _END:
            raise self._unexpected(root, "the end of the file")
        return self._document

    def _advance(self) -> None:
        """Take the next token."""
        match = next(self._tokens)
        self._kind = match.lastindex or _END
        self._content = match[self._kind]
        self._start = match.start(self._kind)

    def _fill(self, node: Node, depth: int) -> None:
        """Read the value at the current token into ``node``."""
        node.start = self._start
        self._values += 1
        if self._values > MOST_VALUES:
            raise self._refused(node, f"more than {MOST_VALUES:,} values", "a smaller file")
        if self._kind == _WORD:
            node.value = self._word(node)
            self._advance()
        elif self._kind == _STRING:
            node.value = self._string(node)
            self._advance()
        elif self._content not in _OPENING:
            raise self._unexpected(node, "a JSON value")
        elif depth == DEEPEST:
            found = f"lists and objects more than {DEEPEST} deep"
            raise self._refused(node, found, f"at most {DEEPEST}")
        elif self._content == "[":
            self._advance()
            node.value = self._list(node, depth + 1)
        else:
            self._advance()
            node.value = self._object(node, depth + 1)

    def _list(self, parent: Node, depth: int) -> list[Node]:
        elements: list[Node] = []
        while self._has_more(parent, not elements, "]"):
            node = Node(None, 0, parent, len(elements))
            self._fill(node, depth)
            elements.append(node)
        return elements

    def _object(self, parent: Node, depth: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        while self._has_more(parent, not members, "}"):
            if self._kind != _STRING:
                raise self._unexpected(parent, "a key in double quotes")
            key = self._string(parent)
            self._advance()
            if self._content != ":" or self._kind != _PUNCTUATION:
                raise self._unexpected(parent, "':'")
            self._advance()
            node = Node(None, 0, parent, key)
            self._fill(node, depth)
            first = members.setdefault(key, node)
            if first is not node:
                self._document.repeated.append((node, first))
        return members

    def _has_more(self, parent: Node, is_first: bool, closing: str) -> bool:
        """Pass the comma before another element, or the end of the list or object."""
        if self._kind == _PUNCTUATION:
            if self._content == closing:
                self._advance()
                return False
            if self._content == "," and not is_first:
                self._advance()
                return True
        if not is_first:
            raise self._unexpected(parent, f"',' or {closing!r}")
        return True

    def _word(self, node: Node) -> Value:
        word = self._content
        if word in _WORDS:
            return _WORDS[word]
        number = _NUMBER.fullmatch(word)
        if not number:
            raise self._unexpected(node, "a JSON value")
        if number.lastindex or len(word) > LONGEST_NUMBER:
            return Number(word)
        return int(word)

    def _string(self, node: Node) -> str:
        if "\\" not in self._content:
            return self._content

        def character(escape: re.Match[str]) -> str:
            if escape[1]:
                return chr(int(escape[1], 16))
            if escape[2] not in _ESCAPED:
                found = f"a backslash before {shown(escape[2])}"
                raise self._refused(node, found, r"an escape such as \" or \u00e9")
            return _ESCAPED[escape[2]]

        halves = _ESCAPE.sub(character, self._content)
        # Two escaped surrogates that follow one another are one character.
        return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def _unexpected(self, node: Node, expected: str) -> ProfileError:
        if self._kind == _END:
            return self._refused(node, "the end of the file", expected)
        if self._kind == _UNCLOSED:
            return self._refused(node, "a string that does not end on its line", "'\"'")
        return self._refused(node, shown(self._content), expected)

    def _refused(self, node: Node, found: str, expected: str) -> ProfileError:
        here = Node(None, self._start, node.parent, node.key)
        return ProfileError([self._document.fault(here, found, expected)])
