"""What each position looks like at each moment of a round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from build_scripts.profile_results import ProfileResults
from specdec.positions import Position
from specdec.rounds import Frame

State = Literal["waiting", "accepted", "rejected", "dropped"]


@dataclass(frozen=True, slots=True)
class Column:
    """One position as a frame shows it.

    Attributes:
        position: its number, tokens and probabilities.
        state: what has become of its proposal.
        current: whether the frame is about this position.
    """

    position: Position
    state: State
    current: bool


def columns(this: ProfileResults, frame: Frame) -> tuple[Column, ...]:
    """Return the k positions as ``frame`` shows them."""
    verdicts = {each.position: each.verdict for each in this.checked}
    checked = len(this.positions) - len(frame.pending) - len(frame.dropped)

    def state(number: int) -> State:
        if number <= checked:
            return verdicts[number] or "waiting"
        return "dropped" if frame.dropped else "waiting"

    return tuple(
        Column(
            position,
            state(position.number),
            current=frame.kind == "verify" and frame.position == position.number,
        )
        for position in this.positions
    )
