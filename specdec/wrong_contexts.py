"""What going on after a rejection does where the next law depends on the tokens so far.

`specdec.wrong_rules` has the rule; rows that depend on the position alone show it in the law of N
only. This is the smallest model in which the text itself goes wrong.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from specdec.convergence import total_variation
from specdec.distribution import Distribution, Token
from specdec.laws import Contextual, Prefix, sequence_law
from specdec.verification import accept_probability, residual


@dataclass(frozen=True, slots=True)
class ContextCase:
    """The first two tokens of the model, right and wrong.

    Attributes:
        given: (last token or None, chance of *a* under the target, and under the draft).
        rows: (two tokens, their chance under the target, under the rule, the difference).
        distance: total variation distance between the two laws.
    """

    given: tuple[tuple[Token | None, Fraction, Fraction], ...]
    rows: tuple[tuple[Prefix, Fraction, Fraction, Fraction], ...]
    distance: Fraction


def context_case() -> ContextCase:
    """Return what the rule does to the first two tokens, in rounds of two proposals."""
    right = sequence_law(context_target, 2)
    wrong = first_tokens_going_on(context_target, context_draft, 2)
    return ContextCase(
        given=tuple(
            (after[-1] if after else None, target["a"], draft["a"])
            for after, (target, draft) in _CONTEXT_ROWS.items()
        ),
        rows=tuple(
            (tokens, chance, wrong[tokens], wrong[tokens] - chance)
            for tokens, chance in right.items()
        ),
        distance=total_variation(list(right.values()), [wrong[tokens] for tokens in right]),
    )


def context_target(prefix: Prefix) -> Distribution:
    """Return the target of a small model with contexts: its law depends on the last token."""
    return _CONTEXT_ROWS[prefix[-1:]][0]


def context_draft(prefix: Prefix) -> Distribution:
    """Return the draft of that model."""
    return _CONTEXT_ROWS[prefix[-1:]][1]


_CONTEXT_ROWS: dict[Prefix, tuple[Distribution, Distribution]] = {
    after: (Distribution({"a": p, "b": 1 - p}), Distribution({"a": q, "b": 1 - q}))
    for after, p, q in (
        ((), Fraction(1, 2), Fraction(3, 4)),
        (("a",), Fraction(1, 4), Fraction(1, 2)),
        (("b",), Fraction(2, 3), Fraction(1, 3)),
    )
}


def first_tokens_going_on(target: Contextual, draft: Contextual, k: int) -> dict[Prefix, Fraction]:
    """Return the law of the k tokens of a round that goes on after a rejection.

    The later proposals were drafted, and scored, after the token that was rejected.
    """
    running: dict[tuple[Prefix, Prefix], Fraction] = {((), ()): Fraction(1)}
    for _ in range(k):
        longer: defaultdict[tuple[Prefix, Prefix], Fraction] = defaultdict(Fraction)
        for (drafted, committed), chance in running.items():
            here, guess = target(drafted), draft(drafted)
            for token, proposed in guess.items():
                if not proposed:
                    continue
                kept = accept_probability(here, guess, token)
                path = (*drafted, token)
                longer[path, (*committed, token)] += chance * proposed * kept
                if kept < 1:
                    for other, share in residual(here, guess).items():
                        rejected = chance * proposed * (1 - kept)
                        longer[path, (*committed, other)] += rejected * share
        running = longer
    law: defaultdict[Prefix, Fraction] = defaultdict(Fraction)
    for (_drafted, committed), chance in running.items():
        law[committed] += chance
    return {tokens: chance for tokens, chance in law.items() if chance}
