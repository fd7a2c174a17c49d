"""Results that are slow to compute, kept between builds by the content of what they come from."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, TypeVar

Made = TypeVar("Made")

Say = Callable[[str], None]
"""Tells a person what is being computed."""


class Keep(Protocol):
    """Returns a part of a build, by name: that of the build before, or what ``make`` returns."""

    def __call__(self, name: str, make: Callable[[], Made], /) -> Made:
        """Return the part."""
        ...


def anew(_name: str, make: Callable[[], Made], /) -> Made:
    """Make a part of a build that has none before it."""
    return make()


def code_digest(folder: Path) -> bytes:
    """Return a digest of every Python source below ``folder`` and of the Python that runs it."""
    digest = hashlib.sha256(platform.python_version().encode())
    for source in sorted(folder.rglob("*.py")):
        digest.update(source.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.digest()


def remembered(
    folder: Path, name: str, inputs: Iterable[bytes], compute: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return ``compute()``, or what it returned last time from the same inputs.

    A missing, unreadable or damaged entry is computed again. An entry that cannot be written is
    left unwritten: the cache is a convenience.

    Args:
        folder: where entries live, one file per name.
        name: what is computed; a new entry replaces the old one.
        inputs: everything the result depends on.
        compute: returns a mapping from names to strings, bytes, numbers, booleans, None,
            Fractions, and lists of them.
    """
    entry, key = folder / f"{name}.json", key_of(inputs)
    kept = read_entry(entry, key)
    if kept is not None:
        return kept
    result = compute()
    write_entry(entry, key, result)
    return result


def key_of(inputs: Iterable[bytes]) -> str:
    """Return a digest of everything that a result depends on."""
    key = hashlib.sha256()
    for part in inputs:
        key.update(hashlib.sha256(part).digest())
    return key.hexdigest()


def read_entry(entry: Path, key: str) -> dict[str, Any] | None:
    """Return what an entry holds, if it is whole and belongs to this key."""
    try:
        return _payload(entry.read_text(encoding="utf-8"), key)
    except (OSError, ValueError):
        return None


def _payload(text: str, key: str) -> dict[str, Any] | None:
    header, _, body = text.partition("\n")
    if header != _header(key, body):
        return None
    payload: dict[str, Any] = json.loads(body, object_hook=_restored)
    return payload


def _header(key: str, body: str) -> str:
    return f"{key} {hashlib.sha256(body.encode()).hexdigest()}"


def write_entry(entry: Path, key: str, result: dict[str, Any]) -> None:
    """Write an entry whole, or not at all."""
    body = json.dumps(result, default=_encoded)
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=entry.parent, prefix=f".{entry.name}.")
    except OSError:
        return
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{_header(key, body)}\n{body}")
        Path(temporary).replace(entry)
    except OSError:
        Path(temporary).unlink(missing_ok=True)


def _encoded(value: object) -> dict[str, str]:
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, bytes):
        return {"bytes": b64encode(value).decode()}
    raise TypeError(f"no cache entry can hold {type(value).__name__}")


def _restored(entry: dict[str, Any]) -> object:
    if entry.keys() == {"fraction"}:
        return Fraction(entry["fraction"])
    return b64decode(entry["bytes"]) if entry.keys() == {"bytes"} else entry
