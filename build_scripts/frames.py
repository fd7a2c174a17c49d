"""The frames of a round as data: what the player shows, for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction

from markupsafe import Markup

from build_scripts.profile_results import ProfileResults
from build_scripts.wording import plain
from specdec.distribution import Distribution
from specdec.rounds import Frame

Caption = Callable[[ProfileResults, Frame], Markup]


def frames_json(this: ProfileResults, caption: Caption, *, engine_version: str) -> bytes:
    """Return all frames of a profile as a JSON file, fractions as ``"n/d"``, no absent values.

    Args:
        this: the profile.
        caption: words a frame, as markup.
        engine_version: of the engine that computed them.
    """
    document = {
        "profile": this.profile.id,
        "title": this.profile.title,
        "data": {"file": this.file_name, "sha256": this.data_sha256},
        "engine_version": engine_version,
        "context": this.scenario.context,
        "vocabulary": this.scenario.vocabulary,
        "frames": [
            {"id": this.frame_id(frame), **_values(frame), "caption": plain(caption(this, frame))}
            for frame in this.frames
        ],
    }
    return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode()


def _values(frame: Frame) -> dict[str, object]:
    values = {each.name: getattr(frame, each.name) for each in fields(frame)}
    return {name: _plain(value) for name, value in values.items() if value is not None}


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Distribution):
        return {str(token): str(chance) for token, chance in value.items()}
    return value
