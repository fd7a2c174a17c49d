"""Which piece of the old version has become which of the new one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

from build_scripts.comparing.units import Unit

_NUMBER = re.compile(r"\d[\d,./]*|\b(?:no|one|two|three|four|five|six|seven|eight|nine|ten)\b")
_ALIKE = 0.5
"""Share of common words from which on one sentence counts as the other, reworded."""
_MOST_PAIRS = 2000
"""Pairs of pieces that are tried; more differ too much for a reader to follow."""

Mask: TypeAlias = Callable[[str], str]
Keys: TypeAlias = list[tuple[str, str]]
Pair: TypeAlias = tuple[Unit | None, Unit | None]


@dataclass(frozen=True, slots=True)
class Change:
    """One piece that is not as it was.

    Attributes:
        kind: of the piece, as in `units`.
        near: where it stands, or stood.
        old: what it was; None if there was nothing.
        new: what it is; None if there is nothing.
        of_origin: whether only digests of files differ in it.
    """

    kind: str
    near: str
    old: str | None
    new: str | None
    of_origin: bool = False


def aligned(
    old: Sequence[Unit], new: Sequence[Unit], mask_old: Mask, mask_new: Mask
) -> list[Change]:
    """Return every difference of two sequences of pieces.

    Equal pieces are paired first, then those that are equal but for numbers, then those that share
    most words.

    Args:
        old: the pieces as they were; ``new`` likewise.
        new: see ``old``.
        mask_old: returns a text without the digests of the old files; ``mask_new`` likewise.
        mask_new: see ``mask_old``.
    """
    old_keys, new_keys = ([(unit.kind, unit.text) for unit in units] for units in (old, new))
    if old_keys <= new_keys:
        pairs = _pairs(old, new, old_keys, new_keys, mask_old, mask_new)
    else:  # matching is not symmetric, and what has changed is the same both ways
        swapped = _pairs(new, old, new_keys, old_keys, mask_new, mask_old)
        pairs = ((before, after) for after, before in swapped)
    return [_change(before, after, mask_old, mask_new) for before, after in pairs]


def _pairs(
    old: Sequence[Unit],
    new: Sequence[Unit],
    old_keys: Keys,
    new_keys: Keys,
    mask_old: Mask,
    mask_new: Mask,
) -> Iterator[Pair]:
    """Yield the pieces that differ, old and new."""
    for olds, news in _gaps(old, new, old_keys, new_keys):
        yield from _paired(olds, news, _patterns(olds, mask_old), _patterns(news, mask_new))


def _patterns(units: Sequence[Unit], mask: Mask) -> Keys:
    return [(unit.kind, _NUMBER.sub("#", mask(unit.text))) for unit in units]


def _change(before: Unit | None, after: Unit | None, mask_old: Mask, mask_new: Mask) -> Change:
    unit = after or before
    assert unit is not None, "a pair has at least one"
    return Change(
        kind=unit.kind,
        near=unit.near,
        old=before.text if before else None,
        new=after.text if after else None,
        of_origin=before is not None
        and after is not None
        and mask_old(before.text) == mask_new(after.text),
    )


def _gaps(
    old: Sequence[Unit], new: Sequence[Unit], old_keys: Keys, new_keys: Keys
) -> Iterator[tuple[Sequence[Unit], Sequence[Unit]]]:
    """Yield what stands between pieces whose keys are equal."""
    for tag, start, end, new_start, new_end in _opcodes(old_keys, new_keys):
        if tag != "equal":
            yield old[start:end], new[new_start:new_end]


def _paired(
    old: Sequence[Unit], new: Sequence[Unit], old_keys: Keys, new_keys: Keys
) -> Iterator[Pair]:
    """Yield the pieces of a gap, those whose keys are equal as pairs."""
    for tag, start, end, new_start, new_end in _opcodes(old_keys, new_keys):
        if tag == "equal":
            yield from zip(old[start:end], new[new_start:new_end], strict=True)
        else:
            yield from _reworded(old[start:end], new[new_start:new_end])


def _opcodes(old: Keys, new: Keys) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, old, new).get_opcodes()


def _reworded(old: Sequence[Unit], new: Sequence[Unit]) -> Iterator[Pair]:
    """Yield the pieces of a gap in order, those alike as pairs, the others alone."""
    done = 0
    few = len(old) * len(new) <= _MOST_PAIRS
    for unit in old:
        place = next((n for n in range(done, len(new)) if few and _alike(unit, new[n])), None)
        if place is None:
            yield unit, None
            continue
        yield from ((None, each) for each in new[done:place])
        yield unit, new[place]
        done = place + 1
    yield from ((None, each) for each in new[done:])


def _alike(one: Unit, other: Unit) -> bool:
    if one.kind != other.kind:
        return False
    return SequenceMatcher(None, one.text.split(), other.text.split()).ratio() >= _ALIKE
