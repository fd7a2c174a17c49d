"""One round of speculative decoding, and its frames: everything a person would want to watch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from specdec.distribution import Distribution, Token, require_one_vocabulary
from specdec.errors import SpecdecError, shown
from specdec.exact import Exact, exact_in_unit, listed
from specdec.verification import accept_probability, residual


@dataclass(frozen=True, slots=True)
class Draws:
    """The random numbers of one round, in [0, 1), passed in so that a round is repeatable.

    Attributes:
        accept: one per position; a proposal is kept iff its draw is below its acceptance
            probability.
        replacement: picks the replacement after a rejection.
        bonus: picks the bonus token when all proposals are accepted.
    """

    accept: tuple[Fraction, ...]
    replacement: Fraction
    bonus: Fraction

    def __init__(self, accept: Iterable[Exact], replacement: Exact, bonus: Exact) -> None:
        """Read the draws.

        Raises:
            SpecdecError: a draw that is no exact number in [0, 1).
        """
        object.__setattr__(
            self,
            "accept",
            tuple(
                _draw(f"accept draw {n}", draw)
                for n, draw in enumerate(listed(accept, "accept draws"), start=1)
            ),
        )
        object.__setattr__(self, "replacement", _draw("replacement draw", replacement))
        object.__setattr__(self, "bonus", _draw("bonus draw", bonus))


def _draw(place: str, value: Exact) -> Fraction:
    return exact_in_unit(value, place, one_allowed=False)


@dataclass(frozen=True, slots=True)
class Frame:
    """One moment of a round; what does not apply to its kind is None.

    Attributes:
        kind: ``propose``, ``verify``, ``bonus`` or ``done``.
        committed: tokens committed up to and including this moment.
        pending: proposals not checked yet.
        dropped: proposals that will never be checked.
        position: 1 … k for a check, k + 1 for the bonus.
        token: the proposal checked, or the bonus token.
        target: its target probability.
        draft: its draft probability (a check).
        ratio: target / draft, not capped (a check).
        accept_probability: the ratio capped at 1 (a check).
        draw: the random number compared with it, or the one that picked the bonus token.
        verdict: ``accepted`` or ``rejected`` (a check).
        residual: the law of the replacement (a rejection).
        replacement_draw: the random number that picked from it (a rejection).
        replacement: the token it picked (a rejection).
    """

    kind: Literal["propose", "verify", "bonus", "done"]
    committed: tuple[Token, ...]
    pending: tuple[Token, ...] = ()
    dropped: tuple[Token, ...] = ()
    position: int | None = None
    token: Token | None = None
    target: Fraction | None = None
    draft: Fraction | None = None
    ratio: Fraction | None = None
    accept_probability: Fraction | None = None
    draw: Fraction | None = None
    verdict: Literal["accepted", "rejected"] | None = None
    residual: Distribution | None = None
    replacement_draw: Fraction | None = None
    replacement: Token | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """What a round did.

    Attributes:
        frames: its moments in order; 1 + positions attempted + (1 if all accepted) + 1 of them.
        committed: the tokens it added to the text, one more than it accepted.
        accepted: how many proposals it accepted.
    """

    frames: tuple[Frame, ...]
    committed: tuple[Token, ...]
    accepted: int


def speculative_round(
    target: Sequence[Distribution],
    bonus: Distribution,
    draft: Sequence[Distribution],
    proposals: Sequence[Token],
    draws: Draws,
) -> Round:
    """Check the proposals in order; commit those kept and one token more.

    Leviathan et al. 2023, Algorithm 1; Chen et al. 2023, Algorithm 2, whose comparison is strict,
    as here: a draw equal to the acceptance probability rejects.

    Args:
        target: the k target distributions, one per position.
        bonus: the target distribution after the last position.
        draft: the k draft distributions.
        proposals: the k drafted tokens.
        draws: the round's random numbers.

    Raises:
        SpecdecError: lengths or vocabularies that differ, or a token the draft cannot propose.
    """
    target, draft = listed(target, "target"), listed(draft, "draft")
    proposals = listed(proposals, "proposals")
    _require_round(target, bonus, draft, proposals, draws)
    later = proposals
    committed: tuple[Token, ...] = ()
    frames = [Frame("propose", committed, pending=later)]

    for target_here, draft_here, token, draw in zip(
        target, draft, proposals, draws.accept, strict=True
    ):
        later = later[1:]
        acceptance = accept_probability(target_here, draft_here, token)
        check = _check(len(frames), token, target_here, draft_here, acceptance, draw)
        if draw < acceptance:
            committed += (token,)
            frames.append(replace(check, verdict="accepted", committed=committed, pending=later))
        else:
            leftover = residual(target_here, draft_here)
            replacement = leftover.token_at(draws.replacement)
            committed += (replacement,)
            frames.append(
                replace(
                    check,
                    verdict="rejected",
                    committed=committed,
                    dropped=later,
                    residual=leftover,
                    replacement_draw=draws.replacement,
                    replacement=replacement,
                )
            )
            break
    else:
        token = bonus.token_at(draws.bonus)
        committed += (token,)
        frames.append(
            Frame(
                "bonus",
                committed,
                position=len(frames),
                token=token,
                target=bonus[token],
                draw=draws.bonus,
            )
        )

    frames.append(Frame("done", committed, dropped=later))
    return Round(tuple(frames), committed, accepted=len(committed) - 1)


def _check(
    position: int,
    token: Token,
    target: Distribution,
    draft: Distribution,
    acceptance: Fraction,
    draw: Fraction,
) -> Frame:
    """Return the frame of a check whose verdict is still to come."""
    return Frame(
        "verify",
        committed=(),
        position=position,
        token=token,
        target=target[token],
        draft=draft[token],
        ratio=target[token] / draft[token],
        accept_probability=acceptance,
        draw=draw,
    )


def _require_round(
    target: Sequence[Distribution],
    bonus: Distribution,
    draft: Sequence[Distribution],
    proposals: Sequence[Token],
    draws: Draws,
) -> None:
    """Refuse a round whose parts do not fit together, before anything is checked."""
    if not isinstance(draws, Draws):
        raise SpecdecError(f"draws: expected Draws, got {type(draws).__name__}")
    k = len(target)
    for name, part in (
        ("draft", draft),
        ("proposals", proposals),
        ("accept draws", draws.accept),
    ):
        if len(part) != k:
            raise SpecdecError(f"{name}: expected {k}, one per target row, got {len(part)}")
    require_one_vocabulary(bonus, *target, *draft)
    for position, (row, token) in enumerate(zip(draft, proposals, strict=True), start=1):
        if token not in row:
            raise SpecdecError(
                f"proposal {position}: expected a token of the vocabulary, got {shown(token)}"
            )
        if row[token] == 0:
            raise SpecdecError(
                f"proposal {position}, {shown(token)}: expected draft probability > 0, got 0"
            )
