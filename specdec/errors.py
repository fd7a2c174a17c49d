"""The two ways the engine says no, and how it shows the value that it refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LONGEST_SHOWN = 60
"""Characters of a refused value that a message shows."""


class SpecdecError(ValueError):
    """A value was refused; the message names the place, what was expected and what it got."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a data file.

    Attributes:
        path: the file, as the caller named it.
        line: line of the offending value, from 1.
        pointer: JSON pointer (RFC 6901) to the value; empty for the document itself.
        found: what stands there.
        expected: what should stand there.
    """

    path: str
    line: int
    pointer: str
    found: str
    expected: str

    def __str__(self) -> str:
        """Return the fault as one line that an editor can jump to."""
        place = self.pointer or "(document)"
        return f"{self.path}:{self.line}: {place}: {self.found}, expected {self.expected}"


class ProfileError(SpecdecError):
    """A data file was refused.

    Attributes:
        faults: every fault found, in the order of the file, never empty.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        """Collect the faults of one or more files."""
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type[ProfileError], tuple[tuple[Fault, ...]]]:
        """Rebuild from the faults: the default would pass the message in their place."""
        return type(self), (self.faults,)


def shown(value: object) -> str:
    """Return ``repr(value)``, cut to a length that fits a message.

    >>> shown("cat")
    "'cat'"
    >>> shown("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"
    """
    if isinstance(value, str):
        value = value[: LONGEST_SHOWN + 1]
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print an int of thousands of digits
        return f"{type(value).__name__} with thousands of digits"
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
