"""Accept or correct: the rule at one position, and why it is exact.

Leviathan et al. 2023, Algorithm 1 and Appendix A.1; Chen et al. 2023, Algorithm 2.
"""

from __future__ import annotations

from fractions import Fraction

from specdec.distribution import Distribution, Token, require_one_vocabulary
from specdec.errors import SpecdecError, shown


def accept_probability(target: Distribution, draft: Distribution, token: Token) -> Fraction:
    """Return the chance that a proposed token is kept.

    ``min(1, target[token] / draft[token])``; Leviathan et al. 2023, Algorithm 1.

    Raises:
        SpecdecError: the draft cannot have proposed ``token``, or the vocabularies differ.

    >>> target = Distribution({"a": "1/2", "b": "1/2"})
    >>> draft = Distribution({"a": "3/4", "b": "1/4"})
    >>> accept_probability(target, draft, "a"), accept_probability(target, draft, "b")
    (Fraction(2, 3), Fraction(1, 1))
    """
    require_one_vocabulary(target, draft)
    if draft[token] == 0:
        raise SpecdecError(f"proposal {shown(token)}: expected draft probability > 0, got 0")
    return _capped_ratio(target[token], draft[token])


def _capped_ratio(wanted: Fraction, offered: Fraction) -> Fraction:
    return min(Fraction(1), wanted / offered)


def acceptance_rate(target: Distribution, draft: Distribution) -> Fraction:
    """Return the chance that the draft's proposal is kept, averaged over all it may propose.

    ``sum(min(target, draft))``, which is 1 minus the total variation distance between the two;
    Leviathan et al. 2023, Definition 3.1, Lemma 3.3 and Theorem 3.5.

    Raises:
        SpecdecError: the vocabularies differ.
    """
    return sum(overlap(target, draft), start=Fraction(0))


def overlap(target: Distribution, draft: Distribution) -> tuple[Fraction, ...]:
    """Return ``min(target, draft)`` per token, in vocabulary order: what acceptance keeps.

    Raises:
        SpecdecError: the vocabularies differ.
    """
    require_one_vocabulary(target, draft)
    return tuple(map(min, target.probabilities, draft.probabilities))


def uncovered(target: Distribution, draft: Distribution) -> tuple[Fraction, ...]:
    """Return ``max(0, target - draft)`` per token, in vocabulary order: what the draft left.

    Its sum is Z, the mass the draft left uncovered: 1 minus the acceptance rate.

    Raises:
        SpecdecError: the vocabularies differ.
    """
    require_one_vocabulary(target, draft)
    return tuple(
        max(Fraction(0), wanted - offered)
        for wanted, offered in zip(target.probabilities, draft.probabilities, strict=True)
    )


def residual(target: Distribution, draft: Distribution) -> Distribution:
    """Return the law of the replacement: ``max(0, target - draft)``, rescaled to sum to 1.

    Raises:
        SpecdecError: the two are equal, so nothing is ever rejected and nothing is left over;
            or the vocabularies differ.

    >>> target = Distribution({"a": "1/2", "b": "3/10", "c": "1/5"})
    >>> draft = Distribution({"a": "1/5", "b": "1/5", "c": "3/5"})
    >>> residual(target, draft)
    Distribution({'a': '3/4', 'b': '1/4', 'c': '0'})
    """
    leftover = uncovered(target, draft)
    mass = sum(leftover, start=Fraction(0))
    if mass == 0:
        raise SpecdecError(
            "residual: expected target and draft to differ, got two equal distributions"
        )
    return Distribution(
        {token: left / mass for token, left in zip(target.vocabulary, leftover, strict=True)}
    )


def committed_law(target: Distribution, draft: Distribution) -> Distribution:
    """Return the law of the token that a checked position commits, by accept or correct.

    A token is committed because it was proposed and kept, or because some proposal was rejected
    and the token was drawn from the residual. The two ways are added up as they happen; that the
    sum is ``target`` is the theorem, not the method.

    Raises:
        SpecdecError: the vocabularies differ.
    """
    require_one_vocabulary(target, draft)
    kept = {
        token: proposed * _capped_ratio(target[token], proposed) if proposed else Fraction(0)
        for token, proposed in draft.items()
    }
    rejected = 1 - sum(kept.values())
    if rejected == 0:
        return Distribution(kept)
    replacement = residual(target, draft)
    return Distribution({token: kept[token] + rejected * replacement[token] for token in kept})
