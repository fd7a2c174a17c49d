"""The oracle: laws found by going through every case, with no closed form.

Target and draft are functions from the tokens so far to a `Distribution`, so that contexts may
matter; rows that depend on the position alone are the special case `by_position`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from specdec.distribution import Distribution, Token, require_one_vocabulary
from specdec.exact import require_count
from specdec.verification import accept_probability, residual

Prefix = tuple[Token, ...]
Contextual = Callable[[Prefix], Distribution]
"""A language model: the tokens so far → the law of the next token."""

ENUMERATION_LIMIT = 10**5
"""Most token tuples that a check goes through; beyond it, pages say which route was left out."""


def by_position(rows: Sequence[Distribution]) -> Contextual:
    """Return the model whose next-token law is ``rows[number of tokens so far]``."""
    return lambda prefix: rows[len(prefix)]


def enumerated_length_law(target: Contextual, draft: Contextual, k: int) -> tuple[Fraction, ...]:
    """Return (P(N = 1), …, P(N = k + 1)) by brute force.

    Goes through every tuple of k proposals and, for each, every place where the checking can
    stop: at most V^k tuples for a vocabulary of V tokens. Uses neither acceptance rates nor
    products of them, so it also holds where the law of a position depends on the tokens before it.

    Raises:
        SpecdecError: ``k`` is no whole number >= 0, or the vocabularies differ.
    """
    require_count("k", k)
    law = [Fraction(0)] * (k + 1)
    for proposals, running in _proposal_tuples(draft, k):
        for checked, token in enumerate(proposals):
            before = proposals[:checked]
            kept = running * accept_probability(target(before), draft(before), token)
            law[checked] += running - kept
            running = kept
        law[k] += running
    return tuple(law)


def enumerated_expected_tokens(target: Contextual, draft: Contextual, k: int) -> Fraction:
    """Return E[N] by brute force, in tokens per round.

    Raises:
        SpecdecError: ``k`` is no whole number >= 0, or the vocabularies differ.
    """
    law = enumerated_length_law(target, draft, k)
    return sum((n * chance for n, chance in enumerate(law, start=1)), start=Fraction(0))


def generation_law(
    target: Contextual, draft: Contextual, k: int, length: int
) -> dict[tuple[Token, ...], Fraction]:
    """Return the law of the first ``length`` tokens that speculative decoding generates.

    Rounds of ``k`` proposals follow one another until ``length`` tokens are committed. Each step
    commits one token: a proposal kept, a replacement (which ends the round), or the bonus.
    Leviathan et al. 2023, Appendix A.1, proves for one token that its law is the target's; applied
    token by token, that makes this the `sequence_law` of the target.

    Args:
        target: tokens so far → law of the next token; `draft` likewise, over one vocabulary.
        draft: the cheap model.
        k: proposals per round, >= 0.
        length: tokens to generate, >= 0.

    Returns:
        Every token tuple of that length with a probability above 0.

    Raises:
        SpecdecError: ``k`` or ``length`` is no whole number >= 0, or the vocabularies differ.
    """
    require_count("k", k)
    require_count("length", length)
    target, draft = _of_one_vocabulary(target, target), _of_one_vocabulary(draft, target)
    running: dict[tuple[Prefix, int], Fraction] = {((), 0): Fraction(1)}
    for _ in range(length):
        longer: defaultdict[tuple[Prefix, int], Fraction] = defaultdict(Fraction)
        for (prefix, accepted), chance in running.items():
            if accepted < k:
                for token, kept, share in _outcomes(target(prefix), draft(prefix)):
                    longer[(*prefix, token), accepted + 1 if kept else 0] += chance * share
            else:
                for token, share in _possible(target(prefix)):
                    longer[(*prefix, token), 0] += chance * share
        running = longer
    law: defaultdict[Prefix, Fraction] = defaultdict(Fraction)
    for (prefix, _accepted), chance in running.items():
        law[prefix] += chance
    return dict(law)


def sequence_law(target: Contextual, length: int) -> dict[tuple[Token, ...], Fraction]:
    """Return the law of the first ``length`` tokens generated one at a time from ``target``.

    Raises:
        SpecdecError: ``length`` is no whole number >= 0.
    """
    require_count("length", length)
    law: dict[Prefix, Fraction] = {(): Fraction(1)}
    for _ in range(length):
        law = {
            (*prefix, token): chance * share
            for prefix, chance in law.items()
            for token, share in _possible(target(prefix))
        }
    return law


def _of_one_vocabulary(model: Contextual, leader: Contextual) -> Contextual:
    """Return ``model``, refusing a row over another vocabulary than the leader begins with."""
    first = leader(())

    def row(prefix: Prefix) -> Distribution:
        law = model(prefix)
        require_one_vocabulary(first, law)
        return law

    return row


def _proposal_tuples(draft: Contextual, k: int) -> Iterator[tuple[Prefix, Fraction]]:
    """Yield every tuple of k proposals with the chance that the draft makes it."""
    drafting: list[tuple[Prefix, Fraction]] = [((), Fraction(1))]
    for _ in range(k):
        drafting = [
            ((*prefix, token), chance * share)
            for prefix, chance in drafting
            for token, share in _possible(draft(prefix))
        ]
    yield from drafting


def _outcomes(target: Distribution, draft: Distribution) -> Iterator[tuple[Token, bool, Fraction]]:
    """Yield every way a checked position can end: token committed, proposal kept?, chance."""
    for proposal, proposed in _possible(draft):
        acceptance = accept_probability(target, draft, proposal)
        if acceptance > 0:
            yield proposal, True, proposed * acceptance
        if acceptance < 1:
            for replacement, drawn in _possible(residual(target, draft)):
                yield replacement, False, proposed * (1 - acceptance) * drawn


def _possible(distribution: Distribution) -> Iterator[tuple[Token, Fraction]]:
    return ((token, chance) for token, chance in distribution.items() if chance > 0)
